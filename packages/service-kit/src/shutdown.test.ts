import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { within } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';

const KIT = new URL('./index.ts', import.meta.url).href;

/** Runs a program that has `log`, `onShutdown`, `background` and `say`; sends a signal at each line that asks for one. */
async function run(
  program: string,
): Promise<{ code: number | null; said: string[]; logged: Record<string, unknown>[] }> {
  const source = `
    import { background, createLog, onShutdown } from '${KIT}';
    const log = createLog({ level: 'info', pretty: false });
    const say = (line) => process.stdout.write(line + '\\n');
    setInterval(() => {}, 1000);
    ${program}
  `;
  const child = spawn(process.execPath, ['--conditions=listen-gateway', '--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  let rest = '';
  child.stdout.on('data', (chunk) => {
    const parts = (rest + String(chunk)).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      lines.push(line);
      if (line === 'SIGTERM' || line === 'SIGINT') child.kill(line);
    }
  });
  try {
    const [code] = await within(10_000, 'the end of the program', once(child, 'close'));
    const logged = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    return { code: code as number | null, said: lines.filter((line) => !line.startsWith('{')), logged };
  } finally {
    child.kill('SIGKILL');
  }
}

describe('a shutdown', () => {
  it.each(['SIGTERM', 'SIGINT'])('at %s runs its steps in order and exits with 0', async (signal) => {
    const { code, said } = await run(`
      onShutdown([
        { name: 'one', run: async () => { await new Promise((r) => setTimeout(r, 20)); say('one'); } },
        { name: 'two', run: () => say('two') },
      ], { log });
      say('${signal}');
    `);
    expect(said).toEqual([signal, 'one', 'two']);
    expect(code).toBe(0);
  });

  it('goes on past a step that fails, and logs it', async () => {
    const { code, said, logged } = await run(`
      onShutdown([
        { name: 'one', run: () => { throw new Error('stuck'); } },
        { name: 'two', run: () => say('two') },
      ], { log });
      say('SIGTERM');
    `);
    expect([said, code]).toEqual([['SIGTERM', 'two'], 0]);
    expect(logged).toContainEqual(expect.objectContaining({ level: 'error', step: 'one' }));
  });

  it('hastens at the second signal instead of starting again (FIELD F1)', async () => {
    const { code, said } = await run(`
      const hastened = Promise.withResolvers();
      onShutdown([
        { name: 'drain', run: () => { say('draining'); say('SIGINT'); return hastened.promise; } },
      ], { log, hasten: () => { say('hastened'); hastened.resolve(); } });
      say('SIGTERM');
    `);
    expect([said, code]).toEqual([['SIGTERM', 'draining', 'SIGINT', 'hastened'], 0]);
  });

  it('loses no line of the log and keeps their order', async () => {
    const { logged } = await run(`
      onShutdown([
        { name: 'one', run: () => { for (let n = 0; n < 500; n += 1) log.info({ n, pad: 'x'.repeat(500) }, 'line'); } },
      ], { log });
      say('SIGTERM');
    `);
    const lines = logged.filter(({ msg }) => msg === 'line');
    expect(lines.map(({ n }) => n)).toEqual(Array.from({ length: 500 }, (_, n) => n));
    expect(logged.map(({ msg }) => msg).at(0)).toBe('shutting down');
    expect(logged.map(({ msg }) => msg).at(-1)).toBe('shut down');
  });

  it('also runs steps that were added after it was asked for', async () => {
    const { said } = await run(`
      const steps = [];
      onShutdown(steps, { log });
      steps.push({ name: 'late', run: () => say('late') });
      say('SIGTERM');
    `);
    expect(said).toEqual(['SIGTERM', 'late']);
  });
});

describe('what nobody caught', () => {
  it.each([
    ['an exception', `setTimeout(() => { throw new Error('lost'); });`, 'uncaughtException'],
    ['a rejection', `Promise.reject(new Error('lost'));`, 'unhandledRejection'],
    ['a failed start', `await Promise.reject(new Error('lost'));`, 'uncaughtException'],
  ])('(%s) is logged as fatal and ends the process with 1', async (_what, program, msg) => {
    const { code, logged } = await run(`onShutdown([], { log }); ${program}`);
    expect(code).toBe(1);
    expect(logged).toEqual([
      expect.objectContaining({ level: 'fatal', msg, err: expect.objectContaining({ message: 'lost' }) }),
    ]);
  });

  it('in the background is logged and ends nothing', async () => {
    const { code, logged } = await run(`
      onShutdown([], { log });
      background(Promise.reject(new Error('lost')), log);
      setImmediate(() => say('SIGTERM'));
    `);
    expect(code).toBe(0);
    expect(logged[0]).toMatchObject({ level: 'error', msg: 'background task failed', err: { message: 'lost' } });
  });
});
