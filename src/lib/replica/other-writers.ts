import { clock } from '../clock.ts';
import { PendingWaits } from '../pending-waits.ts';

/** A writer that has written within this time, in milliseconds, is likely to write again. */
const RECENT_MS = 1_000;

/** The longest pause, in milliseconds. */
const MAX_PAUSE_MS = 100;

/** The writers of commits: this replica, and the others that have written lately. */
export class OtherWriters {
  /** Distinguishes this writer from every other, even from the same process before a restart. */
  readonly #own = crypto.randomUUID();
  #tokens = 0;
  /** When each other writer last wrote, by `clock.now()`. */
  readonly #wroteAt = new Map<string, number>();
  /** Waits for their commits. */
  readonly #waits = new PendingWaits();
  #commits = 0;

  /** The token of a new commit: the writer and a number. */
  newToken(): string {
    return `${this.#own}.${++this.#tokens}`;
  }

  /** Records the token of a commit. */
  record(token: string): void {
    const [writer = ''] = token.split('.');
    if (writer === this.#own) return;
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
