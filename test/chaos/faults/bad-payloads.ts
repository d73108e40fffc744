import { EVERYWHERE, type FaultKind } from '../fault.ts';

const CHANGE = '{"method":"notifications/tools/list_changed"}';

/** What strangers and newer versions may put on a channel; none of it is a change (FIELD E15). */
const PAYLOADS: readonly (string | Buffer)[] = [
  'x',
  '',
  'null',
  '[]',
  '{}',
  '{"type":1}',
  '{"v":1}',
  `{"v":2,"id":"1-0","prev":"0-0","change":${CHANGE}}`,
  `{"v":1,"id":"1-0","prev":"0-0","change":{"method":"notifications/unheard-of"}}`,
  `{"v":1,"id":"99999999999999-0","prev":"0-0","change":{"method":"notifications/unheard-of"}}`,
  `{"v":1,"id":"1","prev":"0-0","change":${CHANGE}}`,
  `{"v":1,"id":{"__proto__":null},"prev":[],"change":${CHANGE}}`,
  Buffer.from([0xff, 0xfe, 0x00, 0x80]),
];

/** Each costs every instance a tenth of a second, so one server gets them. */
const LARGE_PAYLOADS: readonly string[] = [
  '['.repeat(1_000_000),
  `{"v":1,"id":"99999999999999-1","prev":"0-0","change":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
];

/** Nonsense on the channel of every server, and in its journal. */
export const badPayloads: FaultKind = {
  name: 'bad payloads on the channel',
  on: EVERYWHERE,
  plan: () => ({
    name: 'bad payloads on the channel',
    holdMs: 500,
    inject: async (world) => {
      const verb = world.backbone.kind === 'cluster' ? 'SPUBLISH' : 'PUBLISH';
      for (const [index, server] of world.setting.population.servers.entries()) {
        const master = await world.backbone.masterOf(server);
        const payloads = index === 0 ? [...PAYLOADS, ...LARGE_PAYLOADS] : PAYLOADS;
        for (const payload of payloads) await master.cli(verb, `lg:1:{${server}}:changes`, payload);
        // Names no predecessor, so instances that read it cannot know what they missed.
        await master.cli('XADD', `lg:1:{${server}}:journal`, '*', 'colour', 'green');
      }
      return { mayGap: true };
    },
    heal: async () => {},
  }),
};
