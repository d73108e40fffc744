import type { Clock } from '@listen-gateway/core';
import type { ServerId } from '@listen-gateway/protocol';
import type { AuthConfig } from '@listen-gateway/service-kit';
import { secretOf } from '../config.ts';
import { type Authorizer, allOf } from './authorizer.ts';
import { CallbackAuthorizer, type Consultation } from './callback-authorizer.ts';
import { claimAuthorizer } from './claim-authorizer.ts';
import { policyAuthorizer } from './policy-authorizer.ts';

export interface AuthorizerOptions {
  readonly clock: Clock;
  /** Told of every question to a backend; `cause` says why one failed. */
  readonly onConsulted: (serverId: ServerId, consultation: Consultation, cause?: unknown) => void;
}

/** The authorizer of one server: all that its configuration names must grant; with none, all that it supports is granted. */
export function openAuthorizer(
  serverId: ServerId,
  { claims, policy, authorizer }: Pick<AuthConfig, 'claims' | 'policy' | 'authorizer'>,
  { clock, onConsulted }: AuthorizerOptions,
): Authorizer {
  const authorizers: Authorizer[] = [];
  // The cheap ones first: a backend is asked for no more than they grant.
  if (claims !== undefined) authorizers.push(claimAuthorizer(claims));
  if (policy !== undefined) authorizers.push(policyAuthorizer(policy));
  if (authorizer !== undefined) {
    const { credentialVariable, ...rest } = authorizer;
    authorizers.push(
      new CallbackAuthorizer({
        ...rest,
        serverId,
        clock,
        credential: credentialVariable === undefined ? undefined : secretOf(credentialVariable),
        onConsulted: (consultation, cause) => onConsulted(serverId, consultation, cause),
      }),
    );
  }
  return allOf(authorizers);
}
