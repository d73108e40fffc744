import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from './config.ts';
import { brokerConfig } from './config-broker.ts';
import { CONFIG_SECTIONS, listenConfig, logConfig, serversConfig } from './config-fragments.ts';
import { schemaNode, settingsOf } from './config-settings.ts';

const streamConfig = z
  .strictObject({
    keepaliveMs: z.int().min(1).default(15_000),
    origins: z.array(z.string()).default([]),
    ports: z.array(z.int()).default([]),
    extra: z.record(z.string(), z.unknown()).default({}),
    either: z.union([z.literal(false), z.string()]).default(false),
  })
  .prefault({});

const schema = z.strictObject({
  listen: listenConfig(8080),
  broker: brokerConfig,
  servers: serversConfig,
  stream: streamConfig,
  log: logConfig,
});

interface Given {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

function load({ argv = [], env = {}, files = {} }: Given) {
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
    return text;
  };
  return loadConfig(schema, { argv, env, readFile }, { otherSections: CONFIG_SECTIONS });
}

function loaded(given: Given) {
  const result = load(given);
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result.config;
}

function problems(given: Given): readonly string[] {
  const result = load(given);
  return result.ok ? [] : result.problems;
}

const yaml = (text: string): Given => ({ argv: ['--config', 'lg.yaml'], files: { 'lg.yaml': text } });

/** Settings that make no sense alone, and the flags that they need. */
const PARTNERS = {
  'broker.mode': ['--broker.url=redis://r'],
  'broker.nodes': ['--broker.url=redis://r', '--broker.mode=cluster'],
  'broker.tls.caFile': ['--broker.url=rediss://r'],
  'broker.tls.certFile': ['--broker.url=rediss://r', '--broker.tls.key-file=k'],
  'broker.tls.keyFile': ['--broker.url=rediss://r', '--broker.tls.cert-file=c'],
  'broker.tls.serverName': ['--broker.url=rediss://r'],
};

describe('a configuration', () => {
  it('needs nothing', () => {
    const config = loaded({});
    expect(config.listen).toMatchObject({ host: '127.0.0.1', port: 8080 });
    expect(config.broker).toMatchObject({ url: 'memory:', mode: 'standalone', journal: { length: 10_000 } });
    expect([...config.servers.keys()]).toEqual(['default']);
    expect(config.servers.get('default' as never)?.capabilities).toEqual({
      tools: true,
      prompts: true,
      resources: { listChanged: true, subscribe: true, subResources: false },
      tasks: true,
    });
  });

  it('prefers flags to the environment, that to the file, and that to defaults', () => {
    const file = 'stream: { keepaliveMs: 1 }\nlisten: { port: 1, host: one }\nbroker: { lingerMs: 1 }';
    const config = loaded({
      argv: ['--config=lg.yaml', '--stream.keepalive-ms', '3'],
      env: { LG_STREAM__KEEPALIVE_MS: '2', LG_LISTEN__PORT: '2' },
      files: { 'lg.yaml': file },
    });
    expect(config.stream.keepaliveMs).toBe(3);
    expect(config.listen).toMatchObject({ host: 'one', port: 2 });
    expect(config.broker.lingerMs).toBe(1);
    expect(config.broker.attachTimeoutMs).toBe(2_000);
  });

  it('takes the path of the file from the environment too', () => {
    expect(loaded({ env: { LG_CONFIG: 'x' }, files: { x: 'log: { level: warn }' } }).log.level).toBe('warn');
  });

  it.each([
    ['a number', { LG_LISTEN__PORT: '81' }, ['listen', 'port'], 81],
    ['true', { LG_LOG__PRETTY: 'true' }, ['log', 'pretty'], true],
    ['a list by commas', { LG_STREAM__ORIGINS: 'a, b' }, ['stream', 'origins'], ['a', 'b']],
    ['a list of numbers', { LG_STREAM__PORTS: '1,2' }, ['stream', 'ports'], [1, 2]],
    ['a list as JSON', { LG_STREAM__ORIGINS: '["a,b"]' }, ['stream', 'origins'], ['a,b']],
    ['a mapping as JSON', { LG_STREAM__EXTRA: '{"a":1}' }, ['stream', 'extra'], { a: 1 }],
    ['either kind', { LG_STREAM__EITHER: 'false' }, ['stream', 'either'], false],
    ['either kind of another', { LG_STREAM__EITHER: 'no' }, ['stream', 'either'], 'no'],
    ['a text that looks like a number', { LG_LISTEN__HOST: '1' }, ['listen', 'host'], '1'],
    ['nothing from an empty variable', { LG_LISTEN__PORT: '' }, ['listen', 'port'], 8080],
  ] as const)('reads %s from text', (_what, env, path, expected) => {
    const config: unknown = loaded({ env: env as Record<string, string> });
    const value = path.reduce<unknown>((section, name) => (section as Record<string, unknown>)[name], config);
    expect(value).toEqual(expected);
  });

  it('takes a flag of a boolean without a value, and with one', () => {
    expect(loaded({ argv: ['--log.pretty'] }).log.pretty).toBe(true);
    expect(loaded({ argv: ['--log.pretty', '--log.pretty=false'] }).log.pretty).toBe(false);
  });

  it('reads a value from the file that a _FILE variable names, less the last line break', () => {
    const config = loaded({ env: { LG_BROKER__URL_FILE: '/run/url' }, files: { '/run/url': 'redis://:a\n@b\n' } });
    expect(config.broker.url).toBe('redis://:a\n@b');
  });

  it('fills what a YAML member leaves empty with defaults', () => {
    const config = loaded(yaml('stream:\nservers:\n  acme:\nlisten: { port: }'));
    expect(config.stream.keepaliveMs).toBe(15_000);
    expect(config.listen.port).toBe(8080);
    expect(config.servers.get('acme' as never)?.capabilities.tools).toBe(true);
    expect(loaded(yaml('')).listen.port).toBe(8080);
  });

  it('knows a server of any name only if it is configured', () => {
    expect(loaded({}).servers.get('constructor' as never)).toBeUndefined();
    const config = loaded({ argv: ['--servers={"constructor":{"capabilities":{"tools":false}}}'] });
    expect([...config.servers.keys()]).toEqual(['constructor']);
    expect(config.servers.get('constructor' as never)?.capabilities.tools).toBe(false);
  });

  it('passes over the sections of other services, in the file and in the environment', () => {
    const config = loaded({
      ...yaml('publisher: { port: no matter }'),
      env: { LG_PUBLISHER__PORT: 'x', LG_ADMIN: '{' },
    });
    expect(config).not.toHaveProperty('publisher');
  });

  const samples = { text: 'redis://r', number: '2048', boolean: 'true', list: '5', json: '{"a":{}}', any: 'x' };
  const named = settingsOf(schemaNode(schema)).flatMap(({ key, names, form }) => {
    const text = key === 'log.level' ? 'trace' : samples[form];
    return names === undefined || key in PARTNERS ? [] : [[key, names, text] as const];
  });

  it.each(named)('sets %s by its variable just as by its flag', (_key, { env, flag }, text) => {
    const byVariable = loaded({ env: { [env]: text } });
    expect(byVariable).not.toEqual(loaded({}));
    expect(loaded({ argv: [`${flag}=${text}`] })).toEqual(byVariable);
    expect(loaded({ argv: [flag, text].slice(0, text === 'true' ? 1 : 2) })).toEqual(byVariable);
  });

  it.each(Object.entries(PARTNERS))('sets %s by its variable just as by its flag, next to others', (key, argv) => {
    const setting = settingsOf(schemaNode(schema)).find((one) => one.key === key);
    const { env = '', flag = '' } = setting?.names ?? {};
    const text = key === 'broker.mode' ? 'cluster' : 'r2';
    const byVariable = loaded({ env: { [env]: text }, argv });
    expect(byVariable).not.toEqual(loaded({}));
    expect(loaded({ argv: [...argv, `${flag}=${text}`] })).toEqual(byVariable);
  });
});

describe('a wrong configuration', () => {
  it('is told all at once, by key and with what gave each value', () => {
    expect(
      problems({
        argv: ['--config', 'lg.yaml', '--listen.port', '99999', '--lissen.port=1', 'stray', '--log.level'],
        env: { LG_STREAM__KEEPALIVE: '1', LG_BROKER__LINGER_MS: 'soon', LG_STREAM__EXTRA: '{', LG_LOG__PRETTY: 'yes' },
        files: { 'lg.yaml': 'broker: { ur: x }\nlog: { level: loud }\nservers: { a b: {} }\nstraem: {}' },
      }),
    ).toEqual([
      'LG_STREAM__KEEPALIVE: no such setting; did you mean "LG_STREAM__KEEPALIVE_MS"?',
      '--lissen.port: no such flag; did you mean "--listen.port"?',
      '"stray": arguments are written --key=value',
      '--log.level: needs a value',
      'broker.lingerMs: must be a number (LG_BROKER__LINGER_MS)',
      'stream.extra: must be JSON (LG_STREAM__EXTRA)',
      'log.pretty: must be true or false (LG_LOG__PRETTY)',
      'broker.ur: no such setting; did you mean "url"?',
      'straem: no such setting; did you mean "stream"?',
      expect.stringMatching(/^listen\.port: .*65535 \(--listen\.port\)$/),
      'servers.a b: a server is named with 1–64 letters, digits, ".", "_" or "-", the first a letter or digit (lg.yaml)',
      expect.stringMatching(/^log\.level: .*"fatal".* \(lg\.yaml\)$/),
    ]);
  });

  it.each([
    ['a key beneath a record', yaml('servers: { a: { capabilites: {} } }'), 'servers.a.capabilites: no such setting'],
    ['a record from text', { argv: ['--servers={"a":{"x":1}}'] }, 'servers.a.x: no such setting'],
    ['no server', { argv: ['--servers={}'] }, 'servers: at least one server is needed (--servers)'],
    ['a section that is no mapping', yaml('stream: 5'), 'stream: Invalid input: expected object'],
    ['a file that is a list', yaml('- a'), 'lg.yaml: must be a mapping of sections'],
    ['a file that is no YAML', yaml('a: [}'), 'lg.yaml: '],
    ['a key given twice', yaml('log: {}\nlog: {}'), 'lg.yaml: Map keys must be unique'],
    ['a file that is not there', { argv: ['--config=gone.yaml'] }, 'gone.yaml: cannot be read: ENOENT'],
    ['a secret that is not there', { env: { LG_BROKER__URL_FILE: '/gone' } }, 'LG_BROKER__URL_FILE: cannot be read'],
    [
      'a variable given both ways',
      { env: { LG_BROKER__URL: 'memory:', LG_BROKER__URL_FILE: '/x' } },
      'LG_BROKER__URL_FILE: LG_BROKER__URL is set too',
    ],
    ['a broker of another kind', { env: { LG_BROKER__URL: 'memory:x' } }, 'broker.url: must be memory:, redis://'],
    ['another prototype', yaml('__proto__: { a: 1 }'), '__proto__: no such setting'],
  ] as const)('names %s', (_what, given, problem) => {
    const found = problems(given);
    expect(found).toHaveLength(1);
    expect(found[0]?.startsWith(problem), found[0]).toBe(true);
  });

  it('keeps the values to itself: they may be secrets', () => {
    const found = problems({ env: { LG_BROKER__URL: 'http://:hush@x', LG_LISTEN__PORT: 'hush', LG_SERVERS: 'hush' } });
    expect(found).toHaveLength(3);
    expect(found.join()).not.toContain('hush');
  });
});
