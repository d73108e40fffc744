import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@listen-gateway/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { TestPublisher, TOOLS } from '../../test/test-publisher.ts';
import { newApiKey } from './api-key.ts';

const open: TestPublisher[] = [];
afterEach(async () => {
  for (const lab of open.splice(0)) await lab.close();
});

async function start(sketch: object): Promise<TestPublisher> {
  const lab = await new TestPublisher().start(sketch);
  open.push(lab);
  return lab;
}

const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` });
const logOf = (lab: TestPublisher) => JSON.stringify(lab.logged);

describe('the file of keys', () => {
  const dir = mkdtempSync(join(tmpdir(), 'listen-gateway-keys-'));
  const keysFile = join(dir, 'keys.yaml');
  const write = (...keys: { readonly sha256: string }[]) =>
    writeFileSync(
      keysFile,
      keys.map(({ sha256 }, at) => `- { id: k${at}-${sha256.slice(0, 4)}, sha256: "${sha256}" }\n`).join(''),
    );
  afterEach(() => rmSync(keysFile, { force: true }));

  it('is read again at SIGHUP, so that one key follows another without a restart', async () => {
    const [old, next] = [newApiKey(), newApiKey()];
    write(old);
    const lab = await start({ auth: { keysFile } });
    const statusOf = async (key: string) => (await lab.post(TOOLS, bearer(key))).status;
    expect([await statusOf(old.key), await statusOf(next.key)]).toEqual([202, 401]);
    write(old, next);
    process.emit('SIGHUP');
    expect([await statusOf(old.key), await statusOf(next.key)]).toEqual([202, 202]);
    write(next);
    process.emit('SIGHUP');
    expect([await statusOf(old.key), await statusOf(next.key)]).toEqual([401, 202]);
  });

  it('is read again when it changes', async () => {
    const [old, next] = [newApiKey(), newApiKey()];
    write(old);
    const lab = await start({ auth: { keysFile } });
    write(next);
    await eventually(10_000, 'the new key', async () => (await lab.post(TOOLS, bearer(next.key))).status === 202);
    expect((await lab.post(TOOLS, bearer(old.key))).status).toBe(401);
  });

  it('locks nobody out when it cannot be used, and shows nothing of what it holds', async () => {
    const { key, sha256 } = newApiKey();
    write({ sha256 });
    const lab = await start({ auth: { keysFile } });
    for (const text of [`- { id: a, sha256: ${key} }`, '{', `- [${key}`, 'a: 1']) {
      writeFileSync(keysFile, text);
      process.emit('SIGHUP');
      expect((await lab.post(TOOLS, bearer(key))).status).toBe(202);
    }
    expect(lab.logged.filter(({ level }) => level === 'error')).toHaveLength(4);
    expect(logOf(lab)).not.toContain(key);
  });

  it('must be there, and hold keys, at the start', async () => {
    await expect(new TestPublisher().start({ auth: { keysFile } })).rejects.toThrow('publisher.auth.keysFile');
    const { sha256 } = newApiKey();
    write({ sha256 }, { sha256 });
    await expect(new TestPublisher().start({ auth: { keysFile } })).rejects.toThrow('1.sha256: is there twice');
  });
});
