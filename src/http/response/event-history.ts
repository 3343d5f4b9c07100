import { byteString } from '../../json/byte-string.ts';
import { HistoryBlock, type HistoryEntry } from './history-block.ts';

/** The size of a block, unless the whole history is small, in bytes. */
const BLOCK_BYTES = 64 * 1024;

/** The least number of blocks of a history, so that little of it is dropped at once. */
const MIN_BLOCKS = 8;

const NOTHING = byteString('');

/**
 * The texts of events by ascending number: the newest, as many as fit a limit in bytes. A reader's
 * position is the number of the last entry it has seen.
 *
 * The texts are in blocks outside the heap: every commit adds one and drops an old one, and as
 * long-lived objects their collection would take longer than the commits.
 */
export class EventHistory {
  readonly #maxBytes: number;
  readonly #blockBytes: number;
  readonly #blocks: HistoryBlock[] = [];
  /** All entries after this number are kept. */
  #beginning: number;
  /** The memory of all blocks but the last, in bytes. */
  #fullBytes = 0;

  /** @param beginning the number before the first entry */
  constructor(beginning: number, maxBytes: number) {
    this.#beginning = beginning;
    this.#maxBytes = maxBytes;
    this.#blockBytes = Math.min(BLOCK_BYTES, Math.ceil(maxBytes / MIN_BLOCKS));
  }

  /** All entries after this number are kept. */
  get beginning(): number {
    return this.#beginning;
  }

  /** The number of the last entry. */
  get last(): number {
    return this.#blocks.at(-1)?.last ?? this.#beginning;
  }

  /** The memory held, in bytes. */
  get bytes(): number {
    return this.#fullBytes + (this.#blocks.at(-1)?.bytes ?? 0);
  }

  append(entry: HistoryEntry): void {
    let block = this.#blocks.at(-1);
    if (block === undefined || !block.hasRoomFor(entry)) {
      block?.write();
      this.#fullBytes = this.bytes;
      block = new HistoryBlock(Math.max(this.#blockBytes, entry.text.length));
      this.#blocks.push(block);
    }
    block.append(entry);
    while (this.bytes > this.#maxBytes) this.#dropBlock();
  }

  /** Drops the entries up to a number. */
  forgetThrough(number: number): void {
    while ((this.#blocks[0]?.last ?? Number.POSITIVE_INFINITY) <= number) this.#dropBlock();
    this.#beginning = Math.max(this.#beginning, number);
  }

  /** Whether all entries after a number are kept. False for numbers yet to come. */
  hasAfter(number: number): boolean {
    return number >= this.#beginning && number <= this.last;
  }

  /**
   * The texts after a number, as many as lie together: at least one, if there is one.
   * @returns the texts, and the number of the last entry among them
   */
  after(number: number): HistoryEntry {
    const block = this.#blocks.find(({ last }) => last > number);
    return block?.after(number) ?? { number, text: NOTHING };
  }

  #dropBlock(): void {
    const bytes = this.#blocks.length > 1 ? (this.#blocks[0]?.bytes ?? 0) : 0;
    const block = this.#blocks.shift();
    if (block === undefined) return;
    this.#fullBytes -= bytes;
    this.#beginning = block.last;
  }
}
