import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { parseArgs } from 'node:util';
import {
  LISTEN_HEADERS,
  listenBody,
  type ServiceProcess,
  startService,
  TestIssuer,
  within,
} from '@listen-gateway/testkit';

/**
 * What the gateway's CPU spends on a listen that it refuses, next to one that it serves: each on a connection of its own, and
 * each host leaves as soon as it has its answer. Measured, not asserted. `npm run bench:refusals -- --requests 2000`.
 */
interface Case {
  readonly name: string;
  readonly status: number;
  /** Settings of the gateway besides the server's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a stream is held open meanwhile. */
  readonly holds?: boolean;
}

const { values } = parseArgs({ options: { requests: { type: 'string', default: '2000' } } });
const requests = Number(values.requests);
const AT_ONCE = 16;
const GENEROUS = { LG_LIMITS__OPENS_PER_SECOND_PER_PRINCIPAL: '1000000', LG_LIMITS__STREAMS_PER_PRINCIPAL: '1000' };

const issuer = await TestIssuer.start();
const audience = 'https://mcp.acme.example/mcp';
const token = await issuer.sign({ aud: audience, sub: 'ann' });
const body = listenBody('L1', { toolsListChanged: true, resourceSubscriptions: ['file:///a', 'file:///b'] });

const CASES: readonly Case[] = [
  { name: 'accepted', status: 200 },
  { name: 'no token', status: 401, headers: { Authorization: '' } },
  { name: 'a token that was forged', status: 401, headers: { Authorization: `Bearer ${token.slice(0, -6)}AAAAAA` } },
  { name: 'a foreign Origin', status: 403, headers: { Origin: 'https://evil.example' } },
  { name: 'too large', status: 413, env: { LG_LIMITS__BODY_BYTES: '100' } },
  { name: 'too many opens', status: 429, env: { LG_LIMITS__OPENS_PER_SECOND_PER_PRINCIPAL: '1' } },
  { name: 'too many streams', status: 429, env: { LG_LIMITS__STREAMS_PER_PRINCIPAL: '1' }, holds: true },
];

try {
  const rows: { listen: string; status: number; costUs: number }[] = [];
  for (const one of CASES) rows.push({ listen: one.name, status: one.status, costUs: await measure(one) });
  const accepted = rows[0]?.costUs ?? Number.NaN;
  console.table(
    rows.map(({ listen, status, costUs }) => ({
      listen,
      status,
      'µs CPU each': Math.round(costUs),
      'of an accepted one': `${Math.round((100 * costUs) / accepted)} %`,
    })),
  );
} finally {
  await issuer.close();
}

async function measure(one: Case): Promise<number> {
  const servers = { default: { auth: { issuer: issuer.issuer, audience } } };
  const gateway = await startService('gateway', {
    LG_LOG__LEVEL: 'warn',
    LG_SERVERS: JSON.stringify(servers),
    ...GENEROUS,
    ...one.env,
  });
  try {
    const held = one.holds ? await send(gateway, {}) : undefined;
    // The compiler has had its time, and a limit is reached, before anything is counted.
    await sendAll(gateway, one, Math.max(500, requests / 4));
    const before = await cpuSeconds(gateway);
    const statuses = await sendAll(gateway, one, requests);
    const spentS = (await cpuSeconds(gateway)) - before;
    held?.asking.destroy();
    const others = statuses.filter((status) => status !== one.status);
    // A window of opens may have begun anew.
    if (others.length > requests / 50)
      throw new Error(`${one.name}: ${others.length} of ${requests} were answered ${others[0]}`);
    return (spentS * 1e6) / requests;
  } finally {
    await gateway.kill();
  }
}

/** Read with its labels, whatever they are. */
async function cpuSeconds({ adminUrl }: ServiceProcess): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^lg_process_cpu_seconds_total\S* (\S+)$/m.exec(text)?.[1]);
}

async function sendAll(gateway: ServiceProcess, one: Case, count: number): Promise<number[]> {
  const statuses: number[] = [];
  let left = Math.ceil(count);
  const sendSome = async () => {
    for (; left > 0; left -= 1) {
      const { asking, status } = await send(gateway, one);
      statuses.push(status);
      asking.destroy();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendSome));
  return statuses;
}

async function send(
  gateway: ServiceProcess,
  one: Pick<Case, 'headers'>,
): Promise<{ asking: ClientRequest; status: number }> {
  const headers = { ...LISTEN_HEADERS, Authorization: `Bearer ${token}`, ...one.headers };
  const present = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
  const asking = request(`${gateway.url}/mcp`, { method: 'POST', agent: false, headers: present });
  asking.on('error', () => {});
  asking.end(body);
  const [response] = (await within(10_000, 'an answer', once(asking, 'response'))) as [IncomingMessage];
  // The head of a stream comes with its acknowledgement.
  response.on('error', () => {});
  await within(10_000, 'the first bytes', once(response, 'data'));
  return { asking, status: response.statusCode ?? 0 };
}
