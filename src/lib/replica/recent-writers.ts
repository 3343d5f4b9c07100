import { clock } from '../clock.ts';
import { PendingWaits } from '../pending-waits.ts';

/** A writer that has written within this time, in milliseconds, is likely to write again. */
const RECENT_MS = 1_000;

/** The longest pause, in milliseconds. */
const MAX_PAUSE_MS = 100;

/** The other replicas that have written lately. */
export class RecentWriters {
  /** When each other writer last wrote, by `clock.now()`. */
  readonly #wroteAt = new Map<string, number>();
  /** Waits for their commits. */
  readonly #waits = new PendingWaits();
  #commits = 0;

  /** Records a commit of another writer. */
  record(writer: string): void {
    this.#wroteAt.set(writer, clock.now());
    this.#commits++;
    this.#waits.check();
  }

  /**
   * Pauses after a commit until there were as many commits as there are other recent writers, but
   * at most `ms` milliseconds per writer. Without the pause, one writer could starve the others.
   */
  async pause(ms: number): Promise<void> {
    const since = clock.now() - RECENT_MS;
    for (const [name, at] of this.#wroteAt) if (at < since) this.#wroteAt.delete(name);
    const writers = this.#wroteAt.size;
    const target = this.#commits + writers;
    const pauseMs = Math.min(MAX_PAUSE_MS, ms * writers);
    await this.#waits.until(() => this.#commits >= target, pauseMs);
  }
}
