import { clock } from './clock.ts';

/** A waiting request. It may be cancelled before the wait ends. */
interface Waiter {
  wait(end: Promise<void>): Promise<void>;
  onEnd(callback: () => void): void;
}

/** Waits that can all be ended early. */
export class PendingWaits {
  readonly #checks = new Set<() => void>();
  hasEnded = false;

  /**
   * Waits until `isOver()` is true at a `check()`, for at most `ms` milliseconds, or until `end()`.
   * @param waiter the request on whose behalf it waits
   */
  async until(isOver: () => boolean, ms?: number, waiter?: Waiter): Promise<void> {
    if (this.hasEnded || isOver()) return;
    const ended = new Promise<void>((resolve) => {
      const end = () => {
        clock.clear(timer);
        this.#checks.delete(check);
        resolve();
      };
      const check = () => {
        if (this.hasEnded || isOver()) end();
      };
      const timer = ms === undefined ? undefined : clock.setTimeout(end, ms);
      this.#checks.add(check);
      waiter?.onEnd(end);
    });
    await (waiter === undefined ? ended : waiter.wait(ended));
  }

  /** Waits until `ms` milliseconds have passed, or all waits end. */
  sleep(ms: number, waiter?: Waiter): Promise<void> {
    return this.until(() => false, ms, waiter);
  }

  /** Ends the waits whose `isOver()` is true. */
  check(): void {
    for (const check of this.#checks) check();
  }

  /** Ends all present and future waits. */
  end(): void {
    this.hasEnded = true;
    this.check();
  }
}
