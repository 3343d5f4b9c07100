import { type ByteString, byteString, concatBytes, replaceBytes } from '../../json/index.ts';

/** One event of a stream (the HTML standard, section 9.2); `data` is JSON without line breaks. */
export interface ServerSentEvent {
  readonly event: ByteString;
  readonly data: ByteString;
}

export const NOTHING = byteString('');
const EVENT = byteString('event: ');
const DATA = byteString('\ndata: ');
const LINE_END = byteString('\n');

/** Some events of a commit. They are created each time a stream needs them. */
export interface EventBatch {
  /** At least one event. */
  readonly events: () => readonly ServerSentEvent[];
  /** The memory that `events` retains, in bytes. */
  readonly bytes: number;
}

/** The number of a commit, and its events. */
export interface CommitEvents {
  readonly number: number;
  /** At least one batch; creating the events of each takes tenths of a millisecond. */
  readonly batches: readonly EventBatch[];
}

/** The memory of a batch itself, in bytes. */
const BATCH_BYTES = 200;

/** The minimum length of a chunk, unless the history ends first. Chunks end with a whole batch. */
const CHUNK_BYTES = 64 * 1024;

/** The newest events, up to a limit in bytes. A position is the number of batches before it. */
export class EventHistory {
  readonly #listId: () => string;
  readonly maxBytes: number;
  /** The batches that are kept, by position, with the numbers of their commits. */
  readonly #batches = new Map<number, { readonly number: number; readonly batch: EventBatch }>();
  /** The position of the first batch that is kept. */
  start = 0;
  /** All commits after this number are kept. */
  keptAfter = 0;
  /** The number of the last commit. */
  lastCommit = 0;
  bytes = 0;

  /** @param listId distinguishes commits of different lists that have the same number */
  constructor(listId: () => string, maxBytes: number) {
    this.#listId = listId;
    this.maxBytes = maxBytes;
  }

  /** The position after the last batch. */
  get end(): number {
    return this.start + this.#batches.size;
  }

  /** Adds a commit's events. @returns the memory that they take, in bytes */
  append({ number, batches }: CommitEvents): number {
    let added = 0;
    for (const batch of batches) {
      this.#batches.set(this.end, { number, batch });
      added += BATCH_BYTES + batch.bytes;
    }
    this.lastCommit = number;
    this.bytes += added;
    while (this.bytes > this.maxBytes) this.#dropFirst();
    return added;
  }

  /** Drops all batches and continues after the commit with this number. */
  restart(number: number): void {
    this.start = this.end;
    // Only if needed, because V8 allocates a new table for each `clear`.
    if (this.#batches.size > 0) this.#batches.clear();
    this.bytes = 0;
    this.keptAfter = number;
    this.lastCommit = number;
  }

  /**
   * Whether a commit has this number, and all commits after it are kept. False for numbers of the
   * future, and of commits that were lost when the list was restored from a backup.
   */
  canResumeAfter(number: number): boolean {
    if (number === this.keptAfter || number === this.lastCommit) return true;
    return this.#batches.get(this.positionAfter(number) - 1)?.number === number;
  }

  /** The line with the id of a commit's last event. */
  idLineOf(number: number): ByteString {
    return byteString(`id: ${this.#listId()}.${number}\n`);
  }

  /** The number of the commit with this id; undefined if there was no such commit. */
  numberOf(id: string): number | undefined {
    const number = Number(id.slice(id.lastIndexOf('.') + 1));
    const isNumber = Number.isSafeInteger(number) && number >= 0;
    return isNumber && id === `${this.#listId()}.${number}` ? number : undefined;
  }

  /** Returns the position after the commit with this number and all commits before it. */
  positionAfter(number: number): number {
    let [low, high] = [this.start, this.end];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#batches.get(middle)?.number ?? 0) <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns a chunk of text from a position on, and the position after it. */
  read(position: number): { readonly text: ByteString; readonly position: number } {
    let text = NOTHING;
    let at = position;
    while (text.length < CHUNK_BYTES) {
      const kept = this.#batches.get(at);
      if (kept === undefined) break;
      at++;
      const isLastOfCommit = this.#batches.get(at)?.number !== kept.number;
      const id = isLastOfCommit ? this.idLineOf(kept.number) : NOTHING;
      text = concatBytes(text, encodeEvents(kept.batch.events(), id));
    }
    return { text, position: at };
  }

  #dropFirst(): void {
    const first = this.#batches.get(this.start);
    if (!first) return;
    this.bytes -= BATCH_BYTES + first.batch.bytes;
    this.keptAfter = first.number;
    this.#batches.delete(this.start++);
  }
}

/** The text of an event. @param id a line with its id; may be empty */
export function encodeEvent({ event, data }: ServerSentEvent, id: ByteString): ByteString {
  return concatBytes(EVENT, event, DATA, escapeLineEnds(data), LINE_END, id, LINE_END);
}

/** The UTF-8 bytes of U+0085, U+2028 and U+2029, at which some clients end lines. */
const UNUSUAL_LINE_ENDS = /\xc2\x85|\xe2\x80[\xa8\xa9]/g;

/** Their escapes, by the last byte. */
const ESCAPES = new Map([
  ['\x85', byteString('\\u0085')],
  ['\xa8', byteString('\\u2028')],
  ['\xa9', byteString('\\u2029')],
]);

/** Escapes unusual line ends, which JSON text has only in strings. */
function escapeLineEnds(json: ByteString): ByteString {
  return replaceBytes(json, UNUSUAL_LINE_ENDS, (bytes) => ESCAPES.get(bytes.slice(-1)) ?? NOTHING);
}

/** The text of events. @param id a line with the id of the last one; may be empty */
function encodeEvents(events: readonly ServerSentEvent[], id: ByteString): ByteString {
  const last = events.length - 1;
  return events.reduce(
    (text, event, i) => concatBytes(text, encodeEvent(event, i === last ? id : NOTHING)),
    NOTHING,
  );
}
