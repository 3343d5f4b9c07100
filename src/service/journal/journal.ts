import { clock } from '../../lib/clock.ts';
import type { Request } from '../../lib/http/index.ts';
import type { Masks } from '../../lib/masks.ts';
import { matchesFields, matchesTarget } from '../admin/request-matching.ts';
import type { ListFeature } from '../items/item-list.ts';
import { Changes } from './changes.ts';
import type { JournalEntry, JournalFilter } from './journal-entry.ts';
import { RecordedRequest } from './recorded-request.ts';

export const MAX_ENTRIES = 1000;

interface WaitOptions {
  /** A cursor. Only later changes count, and a change of the faults also ends the wait. */
  readonly after?: string | undefined;
  /** The request on whose behalf it waits. */
  readonly request?: Request;
}

/** The last requests of a list, so that a test can check the requests of its client. */
export class Journal implements ListFeature {
  readonly changes = new Changes();
  readonly #maxBytes: number;
  readonly #masks: Masks;
  /** A ring: request n is at index n % MAX_ENTRIES. */
  readonly #recorded: (RecordedRequest | undefined)[] = Array(MAX_ENTRIES).fill(undefined);
  /** The bytes of each, at the same index, because an old request is out of the processor's cache. */
  readonly #bytesOf = new Uint32Array(MAX_ENTRIES);
  #bytes = 0;
  #firstNumber = 1;
  #nextNumber = 1;

  /** @param maxBytes the maximum memory of the entries @param masks hide secrets in them */
  constructor(maxBytes: number, masks: Masks) {
    this.#maxBytes = maxBytes;
    this.#masks = masks;
  }

  /**
   * The entries that match a filter, oldest first.
   * @param after a cursor, after which they came or changed
   */
  list(filter: JournalFilter = {}, after?: string): readonly JournalEntry[] {
    const found = this.#find(filter, this.changes.numberOf(after));
    const inOrder = found.sort((a, b) => a.receivedAt - b.receivedAt);
    return inOrder.map((each) => each.entry(this.#masks));
  }

  /** Waits until `count` entries match, for at most `ms` milliseconds, or until a stop. */
  wait(
    filter: JournalFilter,
    count: number,
    ms: number,
    { after, request }: WaitOptions = {},
  ): Promise<void> {
    const since = this.changes.numberOf(after);
    const isOver = () =>
      (after !== undefined && this.changes.hasOtherChangeAfter(since)) ||
      this.#find(filter, since).length >= count;
    return this.changes.waits.until(isOver, ms, request);
  }

  /** Ends all present and future waits. */
  end(): void {
    this.changes.waits.end();
  }

  onOtherChange(): void {
    this.changes.markOther();
  }

  clear(): void {
    while (this.#firstNumber < this.#nextNumber) this.#removeFirst();
    this.changes.restart();
  }

  /** Records a request, and its response. @param path the path in its list */
  record(request: Request, path: string): void {
    const number = this.#nextNumber++;
    if (number - this.#firstNumber === MAX_ENTRIES) this.#removeFirst();
    const recorded = new RecordedRequest(request, path, number);
    this.#recorded[number % MAX_ENTRIES] = recorded;
    this.#bytesOf[number % MAX_ENTRIES] = recorded.bytes;
    this.#bytes += recorded.bytes;
    while (this.#bytes > this.#maxBytes) this.#removeFirst();
    this.changes.mark(recorded);
    recordOutcome(recorded, request, this.changes);
  }

  #removeFirst(): void {
    const index = this.#firstNumber++ % MAX_ENTRIES;
    this.#bytes -= this.#bytesOf[index] ?? 0;
    this.#recorded[index] = undefined;
  }

  /** @param since the number of a change, after which they came or changed */
  #find({ status, ...pattern }: JournalFilter, since: number): RecordedRequest[] {
    const isMatch = (each: RecordedRequest) =>
      each.lastChange > since &&
      (status === undefined || status === each.status) &&
      matchesTarget(pattern, each) &&
      matchesFields(pattern, each);
    return this.#recorded.filter((each) => each !== undefined).filter(isMatch);
  }
}

/** A function of its own, because a closure of the journal would keep it as long as the request. */
function recordOutcome(recorded: RecordedRequest, request: Request, changes: Changes): void {
  request.onResponse((response) => {
    if (response.abort || request.isDisconnected) return;
    recorded.status = response.status;
    changes.mark(recorded);
  });
  request.onEnd(() => {
    recorded.duration = clock.now() - recorded.receivedAt;
    changes.mark(recorded);
  });
}
