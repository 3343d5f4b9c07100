import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a condition holds; an error means not yet. @throws Error after `withinMs` */
export async function until(
  what: string,
  holds: () => Promise<boolean>,
  { everyMs = 50, withinMs = 30_000 } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(everyMs);
  }
}

/** Whether a GET gets 200. */
export async function isOk(url: string): Promise<boolean> {
  return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
}
