import { Problem } from '../lib/http/index.ts';
import type { KnownPaths } from '../service/admin/request-matching.ts';
import { faultList } from '../service/faults/fault-rules.ts';
import { Faults } from '../service/faults/faults.ts';
import type { Mount } from '../service/items/item-list.ts';
import { Journal } from '../service/journal/journal.ts';
import { journalFilter, REQUEST_COUNT } from '../service/journal/journal-routes.ts';
import { readInput } from '../service/resource/request-content.ts';
import { object, range } from '../service/resource/shape.ts';
import { InvalidInputError } from '../service/resource/validation.ts';
import { OPTIONS_INVALID } from './options.ts';
import type { ItemList as ListControl } from './types.ts';

/** The options of a wait for requests. The longest time is that of a JavaScript timer. */
const WAIT_OPTIONS = object<{ count: number; timeoutMs: number }>({
  count: { ...REQUEST_COUNT, fallback: 1 },
  timeoutMs: { ...range('number', 0, 2 ** 31 - 1), fallback: 5_000, aliases: ['timeout'] },
});

/** The number of requests in the error of a wait that times out. */
const MAX_SHOWN = 5;

interface ControlOptions {
  /** @throws Error after a stop */
  readonly checkRunning: () => void;
  /** Why a wait ends: the end of "before …". */
  readonly endReason: string;
}

/** The control of the faults and the journal of the list in a mount. */
export function testControl(
  paths: KnownPaths,
  mount: Mount,
  { checkRunning, endReason }: ControlOptions,
): Pick<ListControl, 'faults' | 'requests' | 'waitForRequests'> {
  const faultShape = faultList(paths);
  const filterShape = journalFilter(paths);
  const filterOf = (filter: unknown = {}) =>
    readInput(filterShape, filter, 'the filter is invalid');
  return {
    async faults(list) {
      checkRunning();
      const current = mount.list.feature(Faults);
      const subject = 'the list of faults is invalid';
      if (list === undefined) return current.list;
      const faults = readInput(faultShape, list, subject);
      try {
        current.set(faults);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const detail = `does not fit: ${error.message}`;
        throw new InvalidInputError(subject, [{ pointer: '#', code: 'max-items', detail }]);
      }
      return current.list;
    },
    async requests(filter) {
      checkRunning();
      return mount.list.feature(Journal).list(filterOf(filter));
    },
    async waitForRequests(filter, options = {}) {
      checkRunning();
      const journal = mount.list.feature(Journal);
      const wanted = filterOf(filter);
      const { count, timeoutMs } = readInput(WAIT_OPTIONS, options, OPTIONS_INVALID);
      await journal.wait(wanted, count, timeoutMs);
      const found = journal.list(wanted);
      if (found.length >= count) return found;
      const end = mount.list.feature(Journal) === journal ? endReason : 'the list was reset';
      const time = journal.changes.waits.hasEnded ? `before ${end}` : `within ${timeoutMs} ms`;
      const last = journal.list().slice(-MAX_SHOWN);
      const lines = last.map(
        ({ method, target, status }) => `${method} ${target} ${status ?? '-'}`,
      );
      const latest =
        last.length === 0 ? 'there were none at all' : `the last were ${lines.join(', ')}`;
      throw new Error(
        `${found.length} of ${count} requests came ${time}; the filter is ` +
          `${JSON.stringify(wanted)}; of all requests, ${latest}`,
      );
    },
  };
}
