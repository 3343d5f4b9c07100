import { clock } from '../../clock.ts';

/** How long nothing may arrive while a revision is missing, in milliseconds. */
const SILENCE_MS = 1_000;

/** The last revision that is known to exist, and since when a missing one has not arrived. */
export class KnownRevision {
  #last = 0;
  /** By `clock.now()`. */
  #silentSince = 0;

  /** How many known revisions a table lacks. @param shown the revision that it shows */
  lag(shown: number): number {
    return Math.max(0, this.#last - shown);
  }

  /** Whether nothing has arrived for too long, although something is missing after `shown`. */
  isSilent(shown: number): boolean {
    return shown < this.#last && clock.now() - this.#silentSince >= SILENCE_MS;
  }

  /** Notes that a revision was the last one a moment ago. Higher ones may be gone, by a restore. */
  note(revision: number, shown: number): void {
    if (shown >= this.#last) this.arrive();
    this.#last = revision;
  }

  /** Notes that something has arrived, so the silence begins again. */
  arrive(): void {
    this.#silentSince = clock.now();
  }
}
