import { clock } from './clock.ts';

/** A waiting request. It may be cancelled before the wait ends. */
interface Waiter {
  wait(end: Promise<void>): Promise<void>;
  onEnd(callback: () => void): void;
}

/** Waits that can all be ended early. */
export class Waits {
  readonly #checks = new Set<() => void>();
  #reason: Error | undefined;
  hasEnded = false;

  /**
   * Waits until a check finds `isOver()` true, `ms` milliseconds have passed, or all waits end.
   * @param waiter the request on whose behalf it waits
   */
  async until(isOver: () => boolean, ms?: number, waiter?: Waiter): Promise<void> {
    if (this.hasEnded || isOver()) return;
    const over = new Promise<void>((resolve) => {
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
    await (waiter === undefined ? over : waiter.wait(over));
  }

  /**
   * Waits until `ms` milliseconds have passed, or all waits end.
   * @throws the reason passed to `end`, if `waiter` is given
   */
  async sleep(ms?: number, waiter?: Waiter): Promise<void> {
    await this.until(() => false, ms, waiter);
    if (this.#reason !== undefined && waiter !== undefined) throw this.#reason;
  }

  /** Ends the waits whose `isOver()` is true. */
  check(): void {
    for (const check of this.#checks) check();
  }

  /** Ends all present and future waits. @param reason thrown by `sleep` to waiting requests */
  end(reason?: Error): void {
    this.hasEnded = true;
    this.#reason = reason;
    this.check();
  }
}
