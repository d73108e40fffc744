import { type FaultKind, linkedInstances, NOTICED, STANDALONE } from '../fault.ts';
import { between } from '../random.ts';

/** Some instances cannot reach Redis, and their connections are ended; all others can. */
export const linkCut: FaultKind = {
  name: 'link cut',
  on: STANDALONE,
  plan: (random) => ({
    name: 'link cut',
    holdMs: between(random, 4_000, 7_000),
    inject: async (world) => {
      const linked = linkedInstances(world);
      for (const { link } of linked) link.cut();
      return { cutOff: { services: linked.map(({ service }) => service.name), noticedMs: NOTICED.told } };
    },
    heal: async (world) => {
      for (const { link } of linkedInstances(world)) link.restore();
    },
  }),
};
