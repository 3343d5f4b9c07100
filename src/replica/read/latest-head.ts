import { historyOf, type StoredHead } from '../stored/commit-head.ts';

/** The last head that is known, shown or not: it names the histories of all commits before it. */
export class LatestHead {
  #head: StoredHead | undefined;

  see(head: StoredHead): void {
    if (head.revision > (this.#head?.revision ?? 0)) this.#head = head;
  }

  /** Forgets it: etcd has gone back. */
  forget(): void {
    this.#head = undefined;
  }

  /** The history that a commit is part of; undefined if it is older than all that are known. */
  historyOf(number: number): string | undefined {
    return this.#head && historyOf(this.#head, number);
  }
}
