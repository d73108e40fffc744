import { gatewayConfig } from '@listen-gateway/service-gateway';
import { describe, expect, it } from 'vitest';
import { readShipped } from '../deploy/repository.ts';
import { VARIANTS } from './balancer.ts';

const { limits, stream } = gatewayConfig.parse({});
const mebibytes = limits.bodyBytes / 2 ** 20;
/** What an instance promises for idle connections, see the test of nginx in test/deploy. */
const INSTANCE_IDLE_S = 75;

interface Settings {
  readonly file: (variant: string) => string;
  /** How long a listen may be silent. */
  readonly silence: RegExp;
  /** How long an idle connection to an instance is kept. */
  readonly idle: RegExp;
  readonly body: string;
}

const SETTINGS: Readonly<Record<string, Settings>> = {
  nginx: {
    file: (variant) => `deploy/nginx/${variant}.conf`,
    silence: /location @listen \{[^}]*proxy_read_timeout (\d+)s;/,
    idle: /keepalive_timeout (\d+)s;/,
    body: `client_max_body_size ${mebibytes}m;`,
  },
  HAProxy: {
    file: (variant) => `deploy/haproxy/${variant}.cfg`,
    idle: /pool-purge-delay (\d+)s$/m,
    silence: /^backend listens\n[\s\S]*?timeout server (\d+)s$/m,
    body: `req.body_size gt ${limits.bodyBytes} `,
  },
  Caddy: {
    file: (variant) => `deploy/caddy/${variant}.Caddyfile`,
    silence: /reverse_proxy @listen \{[\s\S]*?read_timeout (\d+)s$/m,
    idle: /keepalive (\d+)s$/m,
    body: `max_size ${mebibytes}MiB`,
  },
  Envoy: {
    file: (variant) => `deploy/envoy/${variant}.yaml`,
    silence: /stream_idle_timeout: (\d+)s$/m,
    idle: /common_http_protocol_options: \{ idle_timeout: (\d+)s \}/,
    body: `max_request_bytes: ${limits.bodyBytes}\n`,
  },
};

const seconds = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1]);

describe.each(Object.entries(SETTINGS))('the files for %s', (_, { file, silence, idle, body }) => {
  it.each(VARIANTS)(
    'let three keepalives be late before they cut a quiet stream, in %s (INS-02, FIELD C11, F7)',
    (variant) => {
      expect(seconds(readShipped(file(variant)), silence) * 1_000).toBeGreaterThan(3 * stream.keepaliveMs);
    },
  );

  it.each(VARIANTS)('let in the bodies that the gateway takes, in %s', (variant) => {
    expect(readShipped(file(variant))).toContain(body);
  });

  it('give an idle connection up before the instance does (FIELD F4)', () => {
    expect(seconds(readShipped(file('listen-gateway')), idle)).toBeLessThan(INSTANCE_IDLE_S);
  });
});
