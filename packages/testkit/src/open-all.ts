interface Closable {
  close(): Promise<void>;
}

/** Opens several at once; if one cannot be opened, those that were are closed again, since nobody has them in hand. */
export async function openAll<T extends Closable>(opening: readonly Promise<T>[]): Promise<T[]> {
  const outcomes = await Promise.allSettled(opening);
  const opened = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed === undefined) return opened;
  await Promise.all(opened.map((one) => one.close()));
  throw failed.reason;
}

/** Does what is left to do with what was opened; if that fails it is closed again. */
export async function orClose(opened: readonly Closable[], rest: () => Promise<void>): Promise<void> {
  try {
    await rest();
  } catch (cause) {
    await Promise.all(opened.map((one) => one.close()));
    throw cause;
  }
}
