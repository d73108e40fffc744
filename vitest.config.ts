import { defineConfig } from 'vitest/config';

// Workspace packages name their sources under the export condition `listen-gateway`; without it a test would read `dist`, which may be old.
const conditions = ['listen-gateway', 'module', 'node', 'development|production'];

/** The suites under test/, each a project of its own so that one can be run alone: `npx vitest run --project e2e`. */
const suite = (name: string) => ({ extends: true as const, test: { name, include: [`test/${name}/**/*.test.ts`] } });

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    environment: 'node',
    pool: 'forks',
    // The tests start servers and load generators of their own: a third worker makes their deadlines lie on a 2-core machine.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['{packages,services}/*/{src,test}/**/*.test.ts'] },
      },
      suite('guards'),
      suite('conformance'),
      suite('e2e'),
      suite('fuzz'),
      suite('deploy'),
      suite('helm'),
      suite('load-balancers'),
      suite('monitoring'),
      // Faults of Redis, the network and instances take minutes and all of a small machine: `npm run test:chaos`.
      suite('chaos'),
      // Needs a Docker engine, so `npm test` leaves it out; `npm run test:containers` is its command.
      suite('containers'),
    ],
  },
});
