import { clock } from '../../clock.ts';

/** The maximum silence while a revision is missing, in milliseconds. */
const SILENCE_MS = 1_000;

/** The last revision that is known to exist, and the time for which nothing has arrived. */
export class KnownRevision {
  #last = 0;
  /** By `clock.now()`. */
  #silentSince = 0;

  /** The number of known revisions that a table lacks. @param shown the table's revision */
  lag(shown: number): number {
    return Math.max(0, this.#last - shown);
  }

  /** Whether nothing has arrived for too long, although revisions after `shown` are missing. */
  isSilent(shown: number): boolean {
    return shown < this.#last && clock.now() - this.#silentSince >= SILENCE_MS;
  }

  /** Records the last revision that etcd has just reported. A restore of etcd may lower it. */
  note(revision: number, shown: number): void {
    if (shown >= this.#last) this.arrive();
    this.#last = revision;
  }

  /** Restarts the time of silence. */
  arrive(): void {
    this.#silentSince = clock.now();
  }
}
