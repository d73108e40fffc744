import { type FaultKind, linkedInstances, STANDALONE } from '../fault.ts';

/** The connections of some instances pass nothing on any more, and look well to TCP for hours; new ones are well. */
export const linkDeaf: FaultKind = {
  name: 'link deaf',
  on: STANDALONE,
  plan: () => ({
    name: 'link deaf',
    holdMs: 0,
    inject: async (world) => {
      for (const { link } of linkedInstances(world)) link.freeze();
      return {};
    },
    // Nothing is put right: the instances have to find out.
    heal: async () => {},
  }),
};
