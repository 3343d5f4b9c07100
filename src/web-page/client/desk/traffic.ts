import type { Exchange } from '../api/api-request.ts';
import { find, setText } from '../shared/page.ts';
import type { Entry } from './journal-entry.ts';
import { createTrafficRow, type TrafficRow } from './traffic-row.ts';

/** The maximum number of requests to show, as many as the journal keeps. */
const MAX_ROWS = 1000;

/** From this width, the desk fits beside the list. */
export const WIDE = '(min-width: 70rem)';

/** Creates the panel of the requests for the list, by this page and others, the latest first. */
export function createTraffic() {
  const list = find('exchanges', HTMLOListElement);
  const onlyOthers = find('only-others', HTMLInputElement);
  const filter = find('traffic-filter', HTMLInputElement);
  let rows: readonly TrafficRow[] = [];
  /** The number of the journal's last entry. */
  let lastNumber = 0;
  /** The row that was opened without a click. */
  let opened: TrafficRow | undefined;

  function show(shown: readonly TrafficRow[]): void {
    for (const { element } of shown.slice(MAX_ROWS)) element.remove();
    rows = shown.slice(0, MAX_ROWS);
    setText(find('traffic-count'), String(rows.length || ''));
  }

  function insert(exchange: Exchange, number: number): TrafficRow {
    const row = createTrafficRow(exchange, number, isFound);
    const older = rows.findIndex((each) => each.number <= number);
    const at = older === -1 ? rows.length : older;
    list.insertBefore(row.element, list.children[at] ?? null);
    show([...rows.slice(0, at), row, ...rows.slice(at)]);
    return row;
  }

  /** Whether each word of the filter occurs. */
  function isFound(words: string): boolean {
    const wanted = filter.value.toLowerCase().split(' ');
    return wanted.every((word) => words.toLowerCase().includes(word));
  }

  /** Puts the rows in order, since a request of this page gets its number when it has arrived. */
  function sort(): void {
    rows = [...rows].sort((a, b) => b.number - a.number);
    for (const [at, { element }] of rows.entries()) {
      const there = list.children[at] ?? null;
      if (there !== element) list.insertBefore(element, there);
    }
  }

  function remove(isRemoved: (exchange: Exchange) => boolean): void {
    for (const { exchange, element } of rows) if (isRemoved(exchange)) element.remove();
    show(rows.filter(({ exchange }) => !isRemoved(exchange)));
  }

  /** Keeps what continues: admin requests, which are in no journal, and those of another one. */
  function restart(entries: readonly Entry[]): void {
    const ids = new Set(entries.map(({ requestId }) => requestId));
    const isKept = ({ id, isOpen, recorded, request }: Exchange) =>
      !recorded && (isOpen || ids.has(id) || request.path.includes('/admin/'));
    remove((exchange) => !isKept(exchange));
    // A request on its way, which has no number yet, comes after those that have arrived.
    const newest = Math.max(0, ...entries.map(({ number }) => number)) + 0.5;
    for (const row of rows) {
      row.number = row.exchange.isOpen && row.number > lastNumber ? newest : 0;
    }
    lastNumber = 0;
  }

  find('traffic-clear', HTMLButtonElement).addEventListener('click', () => remove(() => true));
  filter.addEventListener('input', () => {
    for (const row of rows) row.changed();
  });
  onlyOthers.addEventListener('change', () => {
    list.classList.toggle('only-others', onlyOthers.checked);
  });

  return {
    /** Shows a request of this page. @returns a function to call when it has changed */
    add(exchange: Exchange): () => void {
      // After the last entry of the journal, until that has its number.
      const row = insert(exchange, lastNumber + 0.5);
      if (!exchange.request.isBackground && matchMedia(WIDE).matches) {
        opened?.open(false);
        opened = row;
        row.open(true);
      }
      return row.changed;
    },
    /** Shows entries of the journal. A reset or a restart makes another one. */
    record(entries: readonly Entry[], isOther: boolean): void {
      if (isOther) restart(entries);
      const own = new Map(rows.map((row) => [row.exchange.id, row]));
      for (const { number, requestId } of entries) {
        const row = own.get(requestId);
        if (row !== undefined) row.number = number;
        lastNumber = Math.max(lastNumber, number);
      }
      sort();
      const recorded = new Map(rows.map((row) => [row.number, row]));
      for (const { number, requestId, exchange, fill } of entries) {
        if (own.has(requestId)) continue;
        const row = recorded.get(number) ?? insert(exchange(), number);
        fill(row.exchange);
        row.changed();
      }
    },
  };
}
