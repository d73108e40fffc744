/** Who opened a stream, as far as the stream has to know. */
export interface Principal {
  /** Who it is: limits count by it, audiences and disconnects name it. */
  readonly subject: string;
  /** The session and the token, where the issuer names them. */
  readonly sid?: string | undefined;
  readonly jti?: string | undefined;
  /** When the credential expires, in milliseconds of the clock; absent for one that does not. */
  readonly expiresAt?: number | undefined;
}
