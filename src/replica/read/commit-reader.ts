import type { KeyChange } from '../etcd/answers.ts';
import { headOf, type StoredHead } from '../stored/commit-head.ts';
import type { Keys } from '../stored/keys.ts';

/** Everything that one transaction has written. */
export interface StoredCommit {
  readonly head: StoredHead;
  readonly rows: readonly KeyChange[];
  /** Whether it is a reset: another generation is current from now on. */
  readonly isReset: boolean;
}

/** A transaction is missing: the list must be loaded again. */
export class GapError extends Error {
  override readonly name = 'GapError';
}

/**
 * Assembles the events of a watch into transactions, which may arrive in parts and twice (etcd 3.4
 * has repeated events, and lost some after a compaction). A transaction ends with its head, which
 * says how many rows it has, and whose version is one higher than the previous one's.
 */
export class CommitReader {
  readonly #keys: Keys;
  readonly #onOther: (row: KeyChange) => void;
  #last: Pick<StoredHead, 'revision' | 'version' | 'generation'>;
  #rows = new Map<string, KeyChange>();
  #revision = 0;

  /** @param onOther called with the rows of generations that are not current */
  constructor(
    keys: Keys,
    last: Pick<StoredHead, 'revision' | 'version' | 'generation'>,
    onOther: (row: KeyChange) => void = () => {},
  ) {
    this.#keys = keys;
    this.#last = last;
    this.#onOther = onOther;
  }

  /**
   * Takes events, and returns the transactions that they complete.
   * @throws GapError
   */
  *read(events: readonly KeyChange[]): Generator<StoredCommit, void> {
    const { head, meta, rows } = this.#keys;
    for (const event of events) {
      const { key, value, modRevision } = event;
      if (modRevision <= this.#last.revision) continue;
      if (key === meta) throw new GapError('what all replicas must agree on has changed');
      if (key.startsWith(rows)) {
        if (key.startsWith(this.#keys.rowsOf(this.#last.generation))) {
          this.#begin(modRevision);
          this.#rows.set(key, event);
        } else this.#onOther(event);
      } else if (key === head) {
        if (value === undefined) throw new GapError('the list has been deleted');
        yield this.#complete(headOf({ ...event, value }));
      }
    }
  }

  /** Begins a transaction. @throws GapError if an earlier one has rows but no head */
  #begin(revision: number): void {
    if (this.#rows.size > 0 && revision !== this.#revision) throw new GapError('a head is missing');
    this.#revision = revision;
  }

  #complete(head: StoredHead): StoredCommit {
    if (this.#rows.size > 0) this.#begin(head.revision);
    if (head.version !== this.#last.version + 1) throw new GapError('a transaction is missing');
    const isReset = head.generation !== this.#last.generation;
    const rows = [...this.#rows.values()];
    if (!isReset && rows.length !== head.changes) throw new GapError('a row is missing');
    this.#rows = new Map();
    this.#last = head;
    return { head, rows, isReset };
  }
}
