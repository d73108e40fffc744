import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';

function recorded(level: 'info' | 'debug' = 'info', pretty = false) {
  const lines: string[] = [];
  const destination = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line));
      done();
    },
  });
  const log = createLog({ level, pretty }, { service: 'gateway', destination });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('a log', () => {
  it('writes one JSON line with time, level, service, fields and message', () => {
    const { log, parsed } = recorded();
    log.child({ streamId: 's1' }).info({ reason: 'drain' }, 'stream closed');
    expect(parsed()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        service: 'gateway',
        streamId: 's1',
        reason: 'drain',
        msg: 'stream closed',
      },
    ]);
  });

  it('leaves out what is below its level', () => {
    const { log, lines } = recorded();
    log.debug({}, 'not written');
    expect(lines).toEqual([]);
  });

  it('writes an error with its stack and cause', () => {
    const { log, parsed } = recorded();
    log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed');
    expect(parsed()[0]?.err).toMatchObject({ type: 'Error', message: expect.stringContaining('inner') });
  });

  it('hides tokens, passwords and the arguments of failed commands, at any depth it is given them (FIELD F17)', () => {
    const { log, lines } = recorded();
    const err = Object.assign(new Error('WRONGPASS'), { command: { name: 'auth', args: ['hush'] } });
    log.warn({ authorization: 'Bearer hush' }, 'a');
    log.warn({ headers: { authorization: 'Bearer hush', cookie: 'hush' } }, 'b');
    log.warn({ req: { headers: { authorization: 'hush' } }, options: { password: 'hush' }, token: 'hush' }, 'c');
    log.warn({ err }, 'd');
    expect(lines).toHaveLength(4);
    expect(lines.join()).not.toContain('hush');
    expect(lines.join()).toContain('[redacted]');
  });

  it('writes lines for people where it is told to', () => {
    const { log, lines } = recorded('info', true);
    log.info({ port: 1 }, 'listening');
    expect(lines.join('')).toMatch(/INFO.*listening/);
    expect(lines.join('')).toContain('port: 1');
  });
});
