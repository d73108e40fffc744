import { stringify } from 'yaml';

const REDACTED = '[redacted]';

/** Members whose value is a secret as such; secrets kept in the environment are configured by the name of their variable. */
const SECRET_MEMBERS = new Set(['password', 'credential', 'secret', 'token', 'key']);

/**
 * The effective configuration as YAML, with every default, for an operator who asks what a service would run with.
 * Secrets are redacted, those in URLs too.
 */
export function printedConfig(config: unknown): string {
  return stringify(redacted(config));
}

function redacted(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return SECRET_MEMBERS.has(name) ? REDACTED : withoutUrlSecret(value);
  if (Array.isArray(value)) return value.map((member) => redacted(member, name));
  if (value instanceof Map) return redacted(Object.fromEntries(value));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redacted(member, key)]));
}

/** `redis://user:secret@host` keeps its user: that it is the right one is often the question. */
function withoutUrlSecret(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#@:]*):[^/?#]*@/i, `$1:${REDACTED}@`);
}
