import { clock } from '../../lib/clock.ts';
import { PendingWaits } from '../../lib/pending-waits.ts';

/** A writer that has written within this time, in milliseconds, is likely to write again. */
const RECENT_MS = 1_000;

/** The longest pause, in milliseconds. */
const MAX_PAUSE_MS = 100;

/** The time that another writer needs to see a commit and make its own, in times of its last one. */
const COMMITS_PER_TURN = 2;

/** The last commit of a writer. */
interface LastCommit {
  /** By `clock.now()`. */
  readonly at: number;
  /** The time that its previous one took, in milliseconds; 0 if its token does not tell. */
  readonly ms: number;
}

/** The writers of commits: this replica, and the others that have written lately. */
export class OtherWriters {
  /** Distinguishes this writer from every other, even from the same process before a restart. */
  readonly #own = crypto.randomUUID();
  #tokens = 0;
  /** The time that its own last commit took, stored or not, in milliseconds. */
  ownMs = 0;
  readonly #last = new Map<string, LastCommit>();
  /** Waits for their commits. */
  readonly #waits = new PendingWaits();
  #commits = 0;

  /** The token of a new commit: the writer, a number, and the time that its last commit took. */
  newToken(): string {
    return `${this.#own}.${++this.#tokens}.${Math.ceil(this.ownMs)}`;
  }

  /** Records the token of a commit. */
  record(token: string): void {
    // Tokens of 4.0 have no time.
    const [writer = '', , ms = 0] = token.split('.');
    if (writer === this.#own) return;
    this.#last.set(writer, { at: clock.now(), ms: Number(ms) || 0 });
    this.#commits++;
    this.#waits.check();
  }

  /**
   * Pauses after a commit until there were as many commits as there are other recent writers, but
   * no longer than the slowest of all would need for each. Without the pause, the writer nearest to
   * etcd would starve the others.
   */
  async pause(): Promise<void> {
    const since = clock.now() - RECENT_MS;
    for (const [name, { at }] of this.#last) if (at < since) this.#last.delete(name);
    const writers = this.#last.size;
    const target = this.#commits + writers;
    const slowest = Math.max(this.ownMs, ...[...this.#last.values()].map((each) => each.ms));
    const pauseMs = Math.min(MAX_PAUSE_MS, COMMITS_PER_TURN * slowest * writers);
    await this.#waits.until(() => this.#commits >= target, pauseMs);
  }
}
