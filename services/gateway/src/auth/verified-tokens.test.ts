import { ManualClock } from '@listen-gateway/testkit';
import { describe, expect, it } from 'vitest';
import { refused, type Verdict, type Verified } from './verdict.ts';
import { VerifiedTokens } from './verified-tokens.ts';

const KEPT = 10_000;

function verifiedAs(subject: string): Verified {
  const principal = {
    subject,
    issuer: 'https://id.acme.example',
    scopes: [],
    expiresAtMs: undefined,
    sid: undefined,
    jti: undefined,
    claims: {},
  };
  return { ok: true, principal, credential: { key: subject, recheck: async () => 'good' } };
}

function open() {
  const clock = new ManualClock();
  const tokens = new VerifiedTokens(clock);
  const asked: string[] = [];
  const find = (token: string, verdict: Verdict = verifiedAs(token)) =>
    tokens.find(token, async () => {
      asked.push(token);
      return { verdict, keepMs: 1_000 };
    });
  return { clock, asked, find, tokens };
}

describe('a verified token', () => {
  it('is not verified again for as long as it is kept', async () => {
    const { clock, asked, find } = open();
    const first = await find('a');
    clock.advance(999);
    expect(await find('a')).toBe(first);
    clock.advance(1);
    await find('a');
    expect(asked).toEqual(['a', 'a']);
  });

  it('is verified once for all that ask while that goes on', async () => {
    const { asked, find } = open();
    await Promise.all(Array.from({ length: 10 }, () => find('a')));
    expect(asked).toEqual(['a']);
  });

  it('of a principal that was disconnected is verified anew, and those of others are not', async () => {
    const { asked, find, tokens } = open();
    for (const subject of ['ann', 'bob']) await find(subject);
    tokens.forget('ann');
    for (const subject of ['ann', 'bob', 'ann']) await find(subject);
    expect(asked).toEqual(['ann', 'bob', 'ann']);
  });

  it('is not kept where it was being verified at that moment, nor shared from then on', async () => {
    const { asked, find, tokens } = open();
    const [first] = [find('ann')];
    tokens.forget('ann');
    await Promise.all([first, find('ann')]);
    await find('ann');
    expect(asked).toEqual(['ann', 'ann']);
  });

  it('makes room for newer ones by use, and no more than so many are kept', async () => {
    const { asked, find } = open();
    await find('used');
    await find('idle');
    for (let at = 0; at < KEPT - 2; at += 1) await find(`t${at}`);
    await find('used');
    await find('one more');
    asked.length = 0;
    await find('used');
    await find('idle');
    expect(asked).toEqual(['idle']);
  });
});

describe('a token that was refused', () => {
  it('is verified again each time: anybody can make up as many as there is room for', async () => {
    const { asked, find } = open();
    expect(await find('a', refused('invalid'))).toEqual({ ok: false, reason: 'invalid' });
    expect(await find('a')).toMatchObject({ ok: true });
    expect(asked).toEqual(['a', 'a']);
  });
});

describe('a verification that fails', () => {
  it('is told to all who asked, and is over', async () => {
    const { find, tokens } = open();
    const failing = tokens.find('a', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await find('a')).toMatchObject({ ok: true });
  });
});
