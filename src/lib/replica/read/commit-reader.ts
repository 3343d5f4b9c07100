import { GapError } from '../errors.ts';
import type { KeyChange } from '../etcd/json.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import type { StoredList } from '../stored/stored-list.ts';

/**
 * Assembles the events of a watch into transactions. A transaction may arrive in parts, and twice
 * (etcd 3.4 has repeated events, and lost some after a compaction). It ends with its head, which
 * contains its number of rows, and whose version is one higher than the previous head's.
 * @param last the head of the transaction before the first one
 * @returns a function that yields the head and the rows of each transaction that the given events
 * complete. It throws a GapError if an event is missing or the list was reset, and an
 * IncompatibleError
 */
export function commitReader(list: StoredList, last: StoredHead) {
  const { keys } = list;
  const ownRows = keys.rowsOf(last.generation);
  const rows = new Map<string, KeyChange>();
  let before = last;

  return function* read(events: readonly KeyChange[]) {
    for (const event of events) {
      const { key, value, modRevision } = event;
      if (modRevision <= before.revision) continue;
      if (key.startsWith(ownRows)) rows.set(key, event);
      if (key !== keys.head) continue;
      if (value === undefined) throw new GapError('the head was deleted');
      const head = list.headOf({ ...event, value });
      if (head.generation !== last.generation) throw new GapError('the list was reset');
      if (head.version !== before.version + 1) throw new GapError('a transaction is missing');
      if (rows.size !== head.changes) throw new GapError('a row is missing');
      const changes = [...rows.values()];
      rows.clear();
      before = head;
      yield { head, rows: changes };
    }
  };
}
