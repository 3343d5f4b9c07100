import { clock } from '../../clock.ts';
import { Waits } from '../../waits.ts';
import type { CommitHead } from '../stored/commit-head.ts';

/** A writer that has written within this time, in milliseconds, is likely to write again. */
const RECENT_MS = 1_000;

/** The longest pause, in milliseconds. */
const MAX_PAUSE_MS = 100;

/** The replicas that have written lately. */
export class RecentWriters {
  /** When each writer last wrote, by `clock.now()`. */
  readonly #wroteAt = new Map<string, number>();
  /** Waits for other commits. */
  readonly #waits = new Waits();
  #commits = 0;

  /** Records the writer of a commit. */
  record({ writers }: Pick<CommitHead, 'writers'>): void {
    const last = Object.keys(writers).at(-1) ?? '';
    this.#wroteAt.set(last, clock.now());
    this.#commits++;
    this.#waits.check();
  }

  /**
   * Pauses after a commit until there were as many commits as there are other recent writers, but
   * at most `ms` milliseconds per writer. Without the pause, one writer could starve the others.
   */
  async pause(writer: string, ms: number): Promise<void> {
    const since = clock.now() - RECENT_MS;
    for (const [name, at] of this.#wroteAt) if (at < since) this.#wroteAt.delete(name);
    const others = [...this.#wroteAt.keys()].filter((name) => name !== writer).length;
    const target = this.#commits + others;
    const pauseMs = Math.min(MAX_PAUSE_MS, ms * others);
    await this.#waits.until(() => this.#commits >= target, pauseMs);
  }
}
