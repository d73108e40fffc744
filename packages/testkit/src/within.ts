/** Waits for `promise` for at most `ms`; the error of a missed deadline says what was waited for. */
export async function within<T>(ms: number, what: string, promise: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    // Made here, not in the callback, so that the stack names the waiting test.
    const missed = new Error(`waited ${ms} ms in vain for ${what}`);
    timer = setTimeout(() => reject(missed), ms);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks `holds` every few milliseconds until it is true, for at most `ms`. For what offers no promise or callback. */
export async function eventually(ms: number, what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  let stopped = false;
  const asking = async () => {
    while (!stopped && !(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  try {
    await within(ms, what, asking());
  } finally {
    stopped = true;
  }
}
