import type { SlotBlocks } from '../indexes/slot-blocks.ts';

/** So many slots are read when a cursor is opened: some ten microseconds of work. */
const READ_AHEAD = 4096;

const BYTES_PER_SLOT = 8;

/**
 * Reads the slots that an index lists. An index describes the newest rows and no others, so it can
 * be read only until something is written; a reader that comes later is cut off.
 */
export class SlotReader {
  readonly #blocks: SlotBlocks;
  readonly #isCurrent: () => boolean;
  #ahead: (readonly number[])[] = [];
  #next = 0;
  #isAtEnd = false;
  #isCutOff = false;

  /** @param isCurrent whether the index still describes the rows that are being read */
  constructor(blocks: SlotBlocks, isCurrent: () => boolean) {
    this.#blocks = blocks;
    this.#isCurrent = isCurrent;
  }

  /** Whether it ended because something was written, before all slots were read. */
  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  /** The memory that slots take that were read ahead, in bytes. */
  get bytes(): number {
    return this.#ahead.reduce((sum, { length }) => sum + length * BYTES_PER_SLOT, 0);
  }

  /** Reads some slots at once, so that what is written soon does not matter to a short list. */
  readAhead(): void {
    for (let count = 0; count < READ_AHEAD; ) {
      const slots = this.#read();
      if (!slots) return;
      this.#ahead.push(slots);
      // An empty block stands for some work, too.
      count += Math.max(1, slots.length);
    }
  }

  /** The next slots, maybe none; undefined at the end, or where the reader is cut off. */
  next(): readonly number[] | undefined {
    const slots = this.#ahead[this.#next++];
    if (slots) return slots;
    this.#ahead = [];
    return this.#read();
  }

  #read(): readonly number[] | undefined {
    if (this.#isAtEnd || this.#isCutOff) return undefined;
    if (!this.#isCurrent()) {
      this.#isCutOff = true;
      return undefined;
    }
    const { done, value } = this.#blocks.next();
    this.#isAtEnd = done === true;
    return value ?? undefined;
  }
}
