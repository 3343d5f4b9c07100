import { type ByteString, byteString, joined } from '../../json/index.ts';

/** One event of a stream (the HTML standard, section 9.2); `data` has no line breaks. */
export interface ServerSentEvent {
  readonly event: ByteString;
  readonly data: ByteString;
}

const NOTHING = byteString('');
const EVENT = byteString('event: ');
const DATA = byteString('\ndata: ');
const END = byteString('\n');

/** Some events of a commit, which are made whenever a stream needs them. */
export interface EventBatch {
  /** At least one event. */
  readonly events: () => readonly ServerSentEvent[];
  /** The memory of what they are made from, in bytes. */
  readonly bytes: number;
}

/** The events of one commit, and its number. */
export interface CommitEvents {
  readonly number: number;
  /** At least one batch; each takes some tenths of a millisecond to make. */
  readonly batches: readonly EventBatch[];
}

/** Pages of commits that a client has missed; one that cannot be read now is a Problem. */
export type EventBacklog = AsyncIterable<readonly CommitEvents[]>;

/** The memory of a batch besides what its events are made from, in bytes. */
const BATCH_BYTES = 200;

/** So much text is read at a time, and then the rest of a batch. */
const READ_BYTES = 64 * 1024;

/** The newest events that fit a limit in bytes. A reader's position counts batches before it. */
export class EventHistory {
  readonly #historyOf: (number: number) => string;
  readonly #maxBytes: number;
  /** The batches that are kept, by position, with the numbers of their commits. */
  readonly #batches = new Map<number, { readonly number: number; readonly batch: EventBatch }>();
  /** The position of the first batch that is kept. */
  start = 0;
  /** All commits after this number are kept. */
  beginning = 0;
  /** The number of the last commit. */
  last = 0;
  bytes = 0;

  /** @param historyOf what distinguishes a commit from others with the same number */
  constructor(historyOf: (number: number) => string, maxBytes: number) {
    this.#historyOf = historyOf;
    this.#maxBytes = maxBytes;
  }

  /** The position after the last batch. */
  get end(): number {
    return this.start + this.#batches.size;
  }

  /** @returns how many bytes it takes */
  append({ number, batches }: CommitEvents): number {
    let added = 0;
    for (const batch of batches) {
      this.#batches.set(this.end, { number, batch });
      added += BATCH_BYTES + batch.bytes;
    }
    this.last = number;
    this.bytes += added;
    while (this.bytes > this.#maxBytes) this.#dropFirst();
    return added;
  }

  /** Drops all batches and continues after the commit with this number. */
  restart(number: number): void {
    this.start = this.end;
    // Only if needed, because V8 allocates a new table for each `clear`.
    if (this.#batches.size > 0) this.#batches.clear();
    this.bytes = 0;
    this.beginning = number;
    this.last = number;
  }

  /** Whether all commits after a number are kept. False for numbers yet to come. */
  hasAfter(number: number): boolean {
    return number >= this.beginning && number <= this.last;
  }

  /** A line with the id of the last event of a commit. */
  idLineOf(number: number): ByteString {
    return byteString(`id: ${this.#historyOf(number)}.${number}\n`);
  }

  /** The number of the commit that an id names; undefined if there was no such commit. */
  numberOf(id: string): number | undefined {
    const number = Number(id.split('.')[1]);
    const isNumber = Number.isSafeInteger(number) && number >= 0;
    return isNumber && id === `${this.#historyOf(number)}.${number}` ? number : undefined;
  }

  /** The text of a commit that is not kept. */
  textOf({ number, batches }: CommitEvents): ByteString {
    const all = batches.flatMap(({ events }) => events());
    return textOfEvents(all, this.idLineOf(number));
  }

  /** Returns the position after the commit with a number, and all before it. */
  positionAfter(number: number): number {
    let [low, high] = [this.start, this.end];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#batches.get(middle)?.number ?? 0) <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns text from a position on, and the position after it. */
  read(position: number): { readonly text: ByteString; readonly position: number } {
    let text = NOTHING;
    let at = position;
    for (let kept = this.#batches.get(at); kept && text.length < READ_BYTES; ) {
      const next = this.#batches.get(++at);
      const id = next?.number === kept.number ? NOTHING : this.idLineOf(kept.number);
      text = joined(text, textOfEvents(kept.batch.events(), id));
      kept = next;
    }
    return { text, position: at };
  }

  #dropFirst(): void {
    const first = this.#batches.get(this.start);
    if (!first) return;
    this.bytes -= BATCH_BYTES + first.batch.bytes;
    this.beginning = first.number;
    this.#batches.delete(this.start++);
  }
}

/** The text of an event. @param id a line with its id; may be empty */
export function textOf({ event, data }: ServerSentEvent, id: ByteString): ByteString {
  return joined(EVENT, event, DATA, data, END, id, END);
}

function textOfEvents(events: readonly ServerSentEvent[], id: ByteString): ByteString {
  const last = events.length - 1;
  return events.reduce(
    (text, event, i) => joined(text, textOf(event, i === last ? id : NOTHING)),
    NOTHING,
  );
}
