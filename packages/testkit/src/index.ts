export { ManualClock } from './manual-clock.ts';
export { eventually, within } from './within.ts';
