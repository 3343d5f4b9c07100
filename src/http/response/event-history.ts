import { type ByteString, byteString, joined } from '../../json/byte-string.ts';

/** The overhead of an entry besides its text, in bytes. */
const ENTRY_BYTES = 64;

const NOTHING = byteString('');

/** The events of one commit, and its number. */
export interface HistoryEntry {
  readonly number: number;
  readonly text: ByteString;
}

/**
 * The texts of events by ascending number: the newest, as many as fit a limit in bytes. A reader's
 * position is the number of the last entry it has seen.
 */
export class EventHistory {
  readonly #maxBytes: number;
  /** The entries; those at the front may have been dropped already. */
  #entries: HistoryEntry[] = [];
  #dropped = 0;
  /** All entries after this number are kept. */
  #beginning: number;
  #bytes = 0;

  /** @param beginning the number before the first entry */
  constructor(beginning: number, maxBytes: number) {
    this.#beginning = beginning;
    this.#maxBytes = maxBytes;
  }

  /** All entries after this number are kept. */
  get beginning(): number {
    return this.#beginning;
  }

  /** The number of the last entry. */
  get last(): number {
    return this.#entries.at(-1)?.number ?? this.#beginning;
  }

  /** The memory held, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  append(entry: HistoryEntry): void {
    this.#entries.push(entry);
    this.#bytes += bytesOf(entry);
    this.#limit();
  }

  /**
   * Prepends entries.
   * @param beginning the number before the first of these entries
   */
  prepend(beginning: number, entries: readonly HistoryEntry[]): void {
    this.#entries = [...entries, ...this.#entries.slice(this.#dropped)];
    this.#dropped = 0;
    this.#beginning = beginning;
    this.#bytes += entries.reduce((sum, entry) => sum + bytesOf(entry), 0);
    this.#limit();
  }

  /** Drops the entries up to a number. */
  forgetThrough(number: number): void {
    while (this.#entries.length > this.#dropped && this.#oldest <= number) this.#drop();
    this.#beginning = Math.max(this.#beginning, number);
  }

  /** Whether all entries after a number are kept. False for numbers yet to come. */
  hasAfter(number: number): boolean {
    return number >= this.#beginning && number <= this.last;
  }

  /**
   * The texts after a number, as many as fit a limit, but at least one.
   * @returns the texts, and the number of the last entry among them
   */
  after(number: number, maxBytes: number): HistoryEntry {
    let text = NOTHING;
    let last = number;
    for (let i = this.#indexAfter(number); i < this.#entries.length; i++) {
      const entry = this.#entries[i];
      if (entry === undefined || text.length >= maxBytes) break;
      if (text !== '' && text.length + entry.text.length > maxBytes) break;
      text = joined(text, entry.text);
      last = entry.number;
    }
    return { text, number: last };
  }

  /** The index of the first entry after a number. */
  #indexAfter(number: number): number {
    let from = this.#dropped;
    let to = this.#entries.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#entries[middle]?.number ?? 0) > number) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  get #oldest(): number {
    return this.#entries[this.#dropped]?.number ?? Number.POSITIVE_INFINITY;
  }

  #limit(): void {
    while (this.#bytes > this.#maxBytes) this.#drop();
  }

  #drop(): void {
    const entry = this.#entries[this.#dropped];
    if (entry === undefined) return;
    this.#bytes -= bytesOf(entry);
    this.#beginning = entry.number;
    this.#entries[this.#dropped] = { number: entry.number, text: NOTHING };
    this.#dropped++;
    // Compacted rarely, since that takes time in proportion to the entries.
    if (this.#dropped > this.#entries.length / 2) {
      this.#entries = this.#entries.slice(this.#dropped);
      this.#dropped = 0;
    }
  }
}

function bytesOf({ text }: HistoryEntry): number {
  return text.length + ENTRY_BYTES;
}
