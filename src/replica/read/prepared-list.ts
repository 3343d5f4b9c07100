import type { StoredHead } from '../stored/commit-head.ts';
import type { Keys } from '../stored/keys.ts';
import type { StoredRowChange } from './commit-reader.ts';
import { ListCopy } from './list-copy.ts';

/** The rows that a reset writes before it makes their generation the current one. */
export class PreparedList {
  readonly #keys: Keys;
  #copy: ListCopy | undefined;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** Takes a row of a generation that is not current yet, or no longer. */
  take(row: StoredRowChange): void {
    if (row.text === undefined) return;
    const generation = this.#keys.generationOf(row.key);
    if (generation !== this.#copy?.generation) this.#copy = new ListCopy(generation);
    this.#copy.prepare(row);
  }

  /** The generation of a head is current from now on. @returns what is known of its rows */
  begin(head: StoredHead): ListCopy {
    const isPrepared = this.#copy?.generation === head.generation;
    const copy = (isPrepared && this.#copy) || new ListCopy(head.generation);
    this.#copy = undefined;
    copy.begin(head);
    return copy;
  }

  /** Forgets rows that nobody goes on to write. */
  tidy(): void {
    if (this.#copy?.isAbandoned) this.#copy = undefined;
  }
}
