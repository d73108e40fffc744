import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';

/** What a load test is told. */
export interface LoadOptions {
  /** The MCP endpoint of the server under test. */
  readonly endpoint: URL;
  /** Where changes of that server are published. */
  readonly changes: URL;
  readonly streams: number;
  /** Changes in a second. */
  readonly rate: number;
  readonly seconds: number;
  /** How long after its publish a change that no host has heard of is not yet missed. */
  readonly withinMs: number;
  readonly opensPerSecond: number;
  readonly uriPrefix: string;
  /** Bearer tokens of hosts, used in turn; none where hosts are not authenticated. */
  readonly hostTokens: readonly string[];
  readonly publisherToken: string | undefined;
}

export type LoadOptionsRead =
  | { readonly ok: true; readonly options: LoadOptions }
  | { readonly ok: false; readonly problems: readonly string[] };

/** `limits.urisPerFilter` unless an operator has changed it. */
const MAX_URIS = 1_000;

export const USAGE = `npm run bench:load -- --gateway URL --publisher URL [options]

  --gateway URL               base URL that hosts use: of an instance, or of the load balancer
  --publisher URL             base URL of a publisher
  --server default            the server whose changes are published and listened to
  --streams 1000              how many hosts listen
  --rate 10                   changes in a second; each goes to every stream
  --seconds 60                how long changes are published
  --within-ms 3000            time that a publish, and a change to a host, may take before it counts as missed
  --opens-per-second 50       pace of the listens; see limits.opensPerSecondPerAddress and …PerPrincipal
  --uri-prefix load:/         what the URIs of the test begin with, for where a policy grants load:/**
  --token-file PATH           tokens of hosts, one a line, used in turn
  --publisher-token-file PATH key or token of the publisher

Ends with 0 where every host heard of every change in time, 1 where not, 2 where the test could not be run.`;

/** Reads the arguments; says all that is wrong with them at once. */
export function readLoadOptions(argv: readonly string[]): LoadOptionsRead {
  const flags = readFlags(argv);
  if ('problem' in flags) return { ok: false, problems: [flags.problem] };
  const parsed = loadFlags.safeParse(flags.values);
  if (parsed.success) return { ok: true, options: toOptions(parsed.data) };
  return {
    ok: false,
    problems: parsed.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`),
  };
}

const FLAGS = [
  'gateway',
  'publisher',
  'server',
  'streams',
  'rate',
  'seconds',
  'within-ms',
  'opens-per-second',
  'uri-prefix',
  'token-file',
  'publisher-token-file',
] as const;

function readFlags(argv: readonly string[]) {
  const options = Object.fromEntries(FLAGS.map((name) => [name, { type: 'string' as const }]));
  try {
    return { values: parseArgs({ args: [...argv], options }).values };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

const url = z.string({ error: 'is needed: a URL such as http://127.0.0.1:8080' }).transform((text, context) => {
  const parsed = URL.parse(text.endsWith('/') ? text : `${text}/`);
  if (parsed !== null && /^https?:$/.test(parsed.protocol)) return parsed;
  context.addIssue({ code: 'custom', message: `${text} is no http:// or https:// URL` });
  return z.NEVER;
});

const amount = (fallback: string, least: number) => atLeast(fallback, least, 'a number', Number.isFinite);
const whole = (fallback: string, least: number) => atLeast(fallback, least, 'a whole number', Number.isInteger);

function atLeast(fallback: string, least: number, what: string, is: (value: number) => boolean) {
  const accepts = (value: number) => is(value) && value >= least;
  return z.string().default(fallback).transform(Number).refine(accepts, `must be ${what} from ${least}`);
}

const lines = z.string().transform((path, context) => {
  try {
    const found = readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
    if (found.length > 0) return found;
    context.addIssue({ code: 'custom', message: `${path} is empty` });
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
  return z.NEVER;
});

const loadFlags = z
  .object({
    gateway: url,
    publisher: url,
    server: z.string().min(1, 'must not be empty').default('default'),
    streams: whole('1000', 1),
    rate: amount('10', 0.1),
    seconds: amount('60', 1),
    'within-ms': whole('3000', 100),
    'opens-per-second': amount('50', 1),
    'uri-prefix': z
      .string()
      .regex(/^[!#-[\]-~]+$/, 'must be visible ASCII without quotes and backslashes')
      .default('load:/'),
    'token-file': lines.optional(),
    'publisher-token-file': lines.optional(),
  })
  .refine(({ rate, 'within-ms': withinMs }) => (rate * withinMs) / 1_000 < MAX_URIS, {
    path: ['rate'],
    message: `times --within-ms must stay below ${MAX_URIS} changes, since each needs a URI of its own until it is judged`,
  });

function toOptions(flags: z.output<typeof loadFlags>): LoadOptions {
  const name = encodeURIComponent(flags.server);
  return {
    endpoint: new URL(flags.server === 'default' ? 'mcp' : `mcp/${name}`, flags.gateway),
    changes: new URL(`v1/servers/${name}/changes`, flags.publisher),
    streams: flags.streams,
    rate: flags.rate,
    seconds: flags.seconds,
    withinMs: flags['within-ms'],
    opensPerSecond: flags['opens-per-second'],
    uriPrefix: flags['uri-prefix'],
    hostTokens: flags['token-file'] ?? [],
    publisherToken: flags['publisher-token-file']?.[0],
  };
}
