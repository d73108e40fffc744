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

/** Opens what has several parts; `close` closes those that `start` gave to keep, the last first, and so does a failed start. */
export async function openWhole<T extends object>(
  start: (keep: (close: () => Promise<unknown>) => void) => Promise<T>,
): Promise<T & Closable> {
  const closes: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closeOne of closes.splice(0).reverse()) await closeOne();
  };
  try {
    return { ...(await start((closeOne) => closes.push(closeOne))), close };
  } catch (error) {
    await close();
    throw error;
  }
}
