import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MUTATIONS } from './mutations.ts';

/** The gateway as it is, but for the one place that CHAOS_MUTATION names. */
const ROOT = join(import.meta.dirname, '..', '..', '..');
const mutation = MUTATIONS.find(({ name }) => name === process.env.CHAOS_MUTATION);
if (mutation === undefined) throw new Error(`there is no mutation ${process.env.CHAOS_MUTATION}`);
const { name, file, original, instead } = mutation;
const mutated = pathToFileURL(join(ROOT, file)).href;
let applied = false;

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (url !== mutated) return loaded;
    const parts = String(loaded.source).split(original);
    // The place was changed since: the mutation has to be written again, or it would prove nothing.
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times the place that ${name} changes`);
    applied = true;
    return { ...loaded, source: parts.join(instead) };
  },
});
await import(pathToFileURL(join(ROOT, 'services', 'gateway', 'src', 'main.ts')).href);
if (!applied) throw new Error(`the gateway did not load ${file}`);
