import { clock } from '../../clock.ts';

/** The maximum silence while a revision is missing, in milliseconds. */
const SILENCE_MS = 1_000;

/** The last revision that is known to exist, and the time since when nothing has arrived. */
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

  /** Records the last revision as just reported. A restore may have removed higher revisions. */
  note(revision: number, shown: number): void {
    if (shown >= this.#last) this.arrive();
    this.#last = revision;
  }

  /** Records an arrival, which restarts the silence. */
  arrive(): void {
    this.#silentSince = clock.now();
  }
}
