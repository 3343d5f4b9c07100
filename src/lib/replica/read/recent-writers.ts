import { clock } from '../../clock.ts';
import type { CommitHead } from '../stored/commit-head.ts';

/** A writer that has written within this time, in milliseconds, is likely to write again. */
const RECENT_MS = 1_000;

/** Which replicas have written lately. */
export class RecentWriters {
  readonly #seen = new Map<string, number>();

  /** Notes the writer of a transaction. */
  see({ writers }: CommitHead): void {
    const writer = Object.keys(writers).at(-1);
    if (writer !== undefined) this.#seen.set(writer, clock.now());
  }

  /** How many there are besides one. */
  countBeside(own: string): number {
    const since = clock.now() - RECENT_MS;
    for (const [writer, time] of this.#seen) if (time < since) this.#seen.delete(writer);
    return this.#seen.size - (this.#seen.has(own) ? 1 : 0);
  }
}
