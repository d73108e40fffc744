import { INSTALL_MS } from '@listen-gateway/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AuthenticatedFleet,
  type OpenStream,
  openAuthenticatedFleet,
  SERVERS,
  type ServerName,
  subjectOf,
} from './authenticated-fleet.ts';

/** On each server; every name is there on both. */
const PER_SERVER = 100;
const FOLDERS = 12;
const TASKS = 5;
const ROUNDS = 400;
/** Everybody may watch it, so that its arrival shows that nothing more is under way. */
const BARRIER = 'file:///barrier';

interface Principal {
  readonly server: ServerName;
  readonly subject: string;
  readonly folders: readonly number[];
  readonly task: number;
  readonly stream: OpenStream;
}

/** A change, and whom it concerns. */
interface Sent {
  readonly server: ServerName;
  readonly about: string;
  readonly concerns: (principal: Principal) => boolean;
}

let fleet: AuthenticatedFleet;
const principals: Principal[] = [];
/** Repeatable: fast-check prints the seed of what failed, and takes it back. */
const random = fc.sample(fc.array(fc.nat(1_000_000), { minLength: 4_000, maxLength: 4_000 }), {
  seed: 20_261_130,
  numRuns: 1,
});
const draws = random[0] ?? [];
let drawn = 0;
const draw = (below: number) => (draws[drawn++ % draws.length] ?? 0) % below;
const drawSome = <Value>(count: number, make: (at: number) => Value) =>
  Array.from({ length: count }, (_, at) => make(at));

const folder = (at: number) => `file:///folder-${at}`;
const REQUESTED = {
  toolsListChanged: true,
  resourceSubscriptions: [...drawSome(FOLDERS, folder), BARRIER],
  taskIds: drawSome(TASKS, (at) => `task-${at}`),
};

async function openPrincipal(server: ServerName, at: number): Promise<Principal> {
  const subject = `user-${at}`;
  const folders = [...new Set([draw(FOLDERS), draw(FOLDERS)])];
  const task = draw(TASKS);
  const claims = {
    sub: subject,
    uris: [...folders.map((one) => `${folder(one)}/**`), `${BARRIER}/**`],
    tasks: [`task-${task}`],
  };
  const stream = await fleet.open({ server, instance: draw(3), claims, filter: REQUESTED });
  return { server, subject, folders, task, stream };
}

/** Publishes a few changes at random, half of them for some principals only. */
async function publishSome(round: number): Promise<readonly Sent[]> {
  const server = SERVERS[draw(2)] ?? 'acme';
  const sent: Sent[] = [];
  const changes = drawSome(1 + draw(4), (at) => {
    const subjects = draw(2) === 0 ? undefined : drawSome(1 + draw(5), () => `user-${draw(PER_SERVER + 20)}`);
    const isFor = (principal: Principal) => subjects === undefined || subjects.includes(principal.subject);
    const audience = subjects && { subjects };
    const kind = draw(5);
    if (kind === 0) {
      sent.push({ server, about: 'notifications/tools/list_changed', concerns: isFor });
      return { method: 'notifications/tools/list_changed', audience };
    }
    if (kind === 1) {
      const task = draw(TASKS);
      const about = `${server} task-${task} round ${round}.${at}`;
      sent.push({ server, about, concerns: (principal) => isFor(principal) && principal.task === task });
      return { method: 'notifications/tasks', params: taskState(`task-${task}`, about), audience };
    }
    const where = draw(FOLDERS);
    const uri = `${folder(where)}/${server}/${round}.${at}`;
    sent.push({ server, about: uri, concerns: (principal) => isFor(principal) && principal.folders.includes(where) });
    return { method: 'notifications/resources/updated', params: { uri }, audience };
  });
  await fleet.publish(server, changes);
  return sent;
}

function taskState(taskId: string, statusMessage: string) {
  const times = { createdAt: '2026-11-30T00:00:00Z', lastUpdatedAt: '2026-11-30T00:00:01Z', ttlMs: null };
  return { taskId, status: 'working', statusMessage, ...times };
}

beforeAll(async () => {
  fleet = await openAuthenticatedFleet();
}, INSTALL_MS);
afterAll(async () => {
  for (const { stream } of principals) stream.answer.close();
  await fleet?.close();
});

describe('200 principals of two servers on three instances', () => {
  it('are each acknowledged what is theirs alone, whoever else has the same names (INS-04, P-1.3, P-1.6)', async () => {
    for (const server of SERVERS) {
      for (let at = 0; at < PER_SERVER; at += 1) principals.push(await openPrincipal(server, at));
    }
    for (const { folders, task, stream } of principals) {
      const uris = drawSome(FOLDERS, (at) => at).filter((at) => folders.includes(at));
      expect(stream.honored).toEqual({
        toolsListChanged: true,
        resourceSubscriptions: [...uris.map(folder), BARRIER],
        taskIds: [`task-${task}`],
      });
    }
    for (const gateway of fleet.gateways) expect(await gateway.metric('lg_streams_open')).toBeGreaterThan(0);
  }, 60_000);

  it('get every change that concerns them, and not one frame that concerns others (INS-01, INS-06, SUB-02)', async () => {
    const sent: Sent[] = [];
    for (let round = 0; round < ROUNDS; round += 1) sent.push(...(await publishSome(round)));
    for (const server of SERVERS) {
      const params = { uri: `${BARRIER}/${server}` };
      await fleet.publish(server, [{ method: 'notifications/resources/updated', params }]);
    }

    let frames = 0;
    for (const principal of principals) {
      const heard: string[] = [];
      for (let about = ''; about !== `${BARRIER}/${principal.server}`; ) {
        const message = await principal.stream.answer.next(
          `the barrier of ${principal.server} ${principal.subject}`,
          20_000,
        );
        expect(message.params?._meta).toEqual({ 'io.modelcontextprotocol/subscriptionId': 'L1' });
        about = subjectOf(message);
        heard.push(about);
      }
      heard.pop();
      frames += heard.length;
      const own = sent.filter(({ server, concerns }) => server === principal.server && concerns(principal));
      const mayHear = new Set(own.map(({ about }) => about));
      expect(
        heard.filter((about) => !mayHear.has(about)),
        'what concerns others',
      ).toEqual([]);
      // Lists and tasks coalesce; a resource has a URI of its own here, so that each must come, once.
      const uris = (abouts: Iterable<string>) => [...abouts].filter((about) => about.startsWith('file:'));
      expect(uris(heard).toSorted()).toEqual(uris(mayHear).toSorted());
    }
    expect(frames, 'the test is about something').toBeGreaterThan(1_000);
  }, 120_000);

  it('leave no name of a principal, task or URI in any log', () => {
    for (const { output } of fleet.gateways) {
      expect(output).not.toMatch(/user-\d|task-\d|file:\/\/|eyJ/);
    }
  });
});
