import { EVERYWHERE, type FaultKind } from '../fault.ts';

/** Every host loses its connection and listens again at once, and many more come with them. */
export const hostsReconnecting: FaultKind = {
  name: 'all hosts reconnect at once',
  on: EVERYWHERE,
  plan: () => ({
    name: 'all hosts reconnect at once',
    holdMs: 2_000,
    inject: async (world) => {
      const guests = world.setting.surge;
      world.hosts.order({ type: 'reconnect', share: 1 });
      world.hosts.order({ type: 'surge', count: guests, forMs: 6_000 });
      return { evidence: `${world.setting.hosts + guests} hosts` };
    },
    heal: async () => {},
  }),
};
