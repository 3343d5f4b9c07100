import { GapError } from '../errors.ts';
import type { KeyChange } from '../etcd/json.ts';
import { headOf, type StoredHead } from '../stored/commit-head.ts';
import type { Keys } from '../stored/stored-list.ts';

/** Everything that one transaction has written. */
export interface Transaction {
  readonly head: StoredHead;
  readonly rows: readonly KeyChange[];
  /** Whether it is a reset: another generation is current from now on. */
  readonly isReset: boolean;
}

/** What is called with events that are part of no transaction. */
interface EventHandlers {
  /** Gets the rows of generations that are not current. */
  readonly onOther?: (row: KeyChange) => void;
  /** Gets what has become of `meta`. @returns whether the history goes on; by default, it does */
  readonly onMeta?: (meta: KeyChange) => boolean;
}

/**
 * Assembles the events of a watch into transactions, which may arrive in parts and twice (etcd 3.4
 * has repeated events, and lost some after a compaction). A transaction ends with its head, which
 * says how many rows it has, and whose version is one higher than the previous one's.
 * @param last the head of the transaction before the first one
 * @returns what takes events, and gives the transactions that they complete, or throws a GapError
 * or an UnreadableError
 */
export function commitReader(keys: Keys, last: StoredHead, handlers: EventHandlers = {}) {
  const { onOther, onMeta = () => true } = handlers;
  const rows = new Map<string, KeyChange>();
  let before = last;

  return function* read(events: readonly KeyChange[]): Generator<Transaction, void> {
    for (const event of events) {
      const { key, value, modRevision } = event;
      if (modRevision <= before.revision) continue;
      if (key === keys.meta && !onMeta(event)) {
        throw new GapError('what all replicas must agree on has changed');
      }
      if (key.startsWith(keys.rowsOf(before.generation))) rows.set(key, event);
      else if (key.startsWith(keys.rows)) onOther?.(event);
      if (key !== keys.head) continue;
      if (value === undefined) throw new GapError('the list has been deleted');
      const head = headOf({ ...event, value });
      if (head.version !== before.version + 1) throw new GapError('a transaction is missing');
      const isReset = head.generation !== before.generation;
      if (!isReset && rows.size !== head.changes) throw new GapError('a row is missing');
      const commit = { head, rows: [...rows.values()], isReset };
      rows.clear();
      before = head;
      yield commit;
    }
  };
}
