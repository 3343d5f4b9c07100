import {
  type BlockRoom,
  bytesOf,
  bytesUsedBy,
  type CommitEvents,
  HistoryBlock,
  roomIn,
  roomOf,
} from './history-block.ts';

/** The size of a block, unless the whole history is small, in bytes. */
const BLOCK_BYTES = 64 * 1024;

/** The least number of blocks of a history, so that little of it is dropped at once. */
const MIN_BLOCKS = 8;

/**
 * The events of commits by ascending number: the newest, as many as fit a limit in bytes. A
 * reader's position is the number of the last commit it has seen.
 *
 * Their data lies in blocks outside the heap: every commit adds some and drops old ones, and as
 * long-lived objects their collection would take longer than the commits. A dropped block is used
 * again, because V8 collects its whole heap when much memory outside of it has been allocated.
 */
export class EventHistory {
  readonly #maxBytes: number;
  /** The room of a block, unless a single commit takes more. */
  readonly #room: BlockRoom;
  readonly #blocks: HistoryBlock[] = [];
  /** All commits after this number are kept. */
  #beginning: number;
  #bytes = 0;

  /** @param beginning the number before the first commit */
  constructor(beginning: number, maxBytes: number) {
    this.#beginning = beginning;
    this.#maxBytes = maxBytes;
    this.#room = roomIn(Math.min(BLOCK_BYTES, maxBytes / MIN_BLOCKS));
  }

  /** All commits after this number are kept. */
  get beginning(): number {
    return this.#beginning;
  }

  /** The number of the last commit. */
  get last(): number {
    return this.#blocks.at(-1)?.last ?? this.#beginning;
  }

  /** The memory held, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @returns how many bytes of the limit it uses up */
  append(commit: CommitEvents): number {
    const room = roomOf(commit);
    const newest = this.#blocks.at(-1);
    const block = newest?.hasRoomFor(room) ? newest : this.#addBlock(room);
    if (block === undefined) this.#beginning = commit.number;
    else block.append(commit);
    return bytesUsedBy(room);
  }

  /** Drops the commits up to a number. */
  forgetThrough(number: number): void {
    while ((this.#blocks[0]?.last ?? Number.POSITIVE_INFINITY) <= number) this.#dropBlock();
    this.#beginning = Math.max(this.#beginning, number);
  }

  /** Whether all commits after a number are kept. False for numbers yet to come. */
  hasAfter(number: number): boolean {
    return number >= this.#beginning && number <= this.last;
  }

  /** The commits after a number, as many as lie together: at least one, if there is one. */
  after(number: number): readonly CommitEvents[] {
    return this.#blocks.find(({ last }) => last > number)?.after(number) ?? [];
  }

  /**
   * Adds a block, in the place of old ones if necessary.
   *
   * @param least what it must have room for
   * @returns undefined if that is more than the limit
   */
  #addBlock(least: BlockRoom): HistoryBlock | undefined {
    this.#blocks.at(-1)?.write();
    const isUsual = least.events <= this.#room.events && least.dataBytes <= this.#room.dataBytes;
    const room = isUsual ? this.#room : least;
    let dropped: HistoryBlock | undefined;
    while (this.#bytes + bytesOf(room) > this.#maxBytes) {
      if (this.#blocks.length === 0) return undefined;
      dropped = this.#dropBlock();
    }
    const block = dropped?.room === room ? dropped : new HistoryBlock(room);
    block.clear();
    this.#blocks.push(block);
    this.#bytes += bytesOf(room);
    return block;
  }

  #dropBlock(): HistoryBlock | undefined {
    const block = this.#blocks.shift();
    if (block === undefined) return undefined;
    this.#bytes -= bytesOf(block.room);
    this.#beginning = block.last;
    return block;
  }
}
