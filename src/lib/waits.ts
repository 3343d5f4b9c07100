import { clock } from './clock.ts';

/** Who waits: a request, which may end before. */
interface Waiting {
  wait(end: Promise<void>): Promise<void>;
  onEnd(callback: () => void): void;
}

/** Waits that can all be ended early. */
export class Waits {
  readonly #checks = new Set<() => void>();
  #reason: Error | undefined;
  hasEnded = false;

  /**
   * Waits for a time in milliseconds, until something is so, or until all waits end.
   * @param waiting who waits, and is held meanwhile
   */
  async until(isOver: () => boolean, ms?: number, waiting?: Waiting): Promise<void> {
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
      waiting?.onEnd(end);
    });
    await (waiting === undefined ? over : waiting.wait(over));
  }

  /**
   * Waits for a time in milliseconds, or until all waits end.
   * @throws the reason why they have, if it is known who waits
   */
  async sleep(ms?: number, waiting?: Waiting): Promise<void> {
    await this.until(() => false, ms, waiting);
    if (this.#reason !== undefined && waiting !== undefined) throw this.#reason;
  }

  /** Ends the waits for something that is so by now. */
  check(): void {
    for (const check of this.#checks) check();
  }

  /** Ends all waits; later ones end at once. @param reason why nobody who waits goes on */
  end(reason?: Error): void {
    this.hasEnded = true;
    this.#reason = reason;
    this.check();
  }
}
