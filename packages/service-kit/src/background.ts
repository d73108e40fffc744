import type { Log } from './log.ts';

/** Takes a promise that nobody awaits and logs its failure, so that it is neither lost nor the end of the process. */
export function background(task: Promise<unknown>, log: Pick<Log, 'error'>): void {
  task.catch((err: unknown) => log.error({ err }, 'background task failed'));
}
