import { type Bitmap, CHUNK_SIZE, slotsOf, WORDS } from './bitmap.ts';
import { BITS, onesIn, type SparseWords } from './bits.ts';
import { BLOCK_SIZE, type SlotBlocks } from './slot-blocks.ts';

/** The bytes of a chunk: its words, and what V8 keeps for an array outside its heap. */
const CHUNK_BYTES = WORDS * 4 + 256;
const REFERENCE_BYTES = 8;

/** The slots of a set between two multiples of `CHUNK_SIZE`. Empty chunks are not stored. */
interface Chunk {
  /** The epoch in which the chunk was made. A write in a later epoch copies it first. */
  readonly epoch: number;
  readonly words: Int32Array;
  count: number;
}

/** The chunks in order of slots, and the number of slots in all of them. */
class Directory implements Bitmap {
  readonly epoch: number;
  chunks: (Chunk | undefined)[];
  first: number;
  size: number;

  constructor(epoch: number, chunks: (Chunk | undefined)[], first: number, size: number) {
    this.epoch = epoch;
    this.chunks = chunks;
    this.first = first;
    this.size = size;
  }

  get end(): number {
    return this.first + this.chunks.length;
  }

  words(chunk: number): Int32Array | undefined {
    return this.chunks[chunk - this.first]?.words;
  }

  copy(epoch: number): Directory {
    return new Directory(epoch, this.chunks.slice(), this.first, this.size);
  }
}

/**
 * A set of slots: one bit per slot, in chunks. Taking a snapshot costs nothing: later writes copy
 * the chunks they change, once. Snapshots need not be closed.
 */
export class SlotSet {
  #directory = new Directory(0, [], 0, 0);
  #epoch = 0;
  #chunkCount = 0;

  /** The number of slots. */
  get size(): number {
    return this.#directory.size;
  }

  /** Memory held, in bytes, without what only snapshots refer to. */
  get bytes(): number {
    return this.#chunkCount * CHUNK_BYTES + this.#directory.chunks.length * REFERENCE_BYTES;
  }

  has(slot: number): boolean {
    const words = this.#directory.words(Math.floor(slot / CHUNK_SIZE));
    const bit = slot % CHUNK_SIZE;
    return words !== undefined && (((words[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 1;
  }

  /** Adds a slot. Idempotent. */
  add(slot: number): void {
    if (this.has(slot)) return;
    const chunk = this.#chunkToWrite(Math.floor(slot / CHUNK_SIZE));
    const bit = slot % CHUNK_SIZE;
    chunk.words[bit >>> 5] = (chunk.words[bit >>> 5] ?? 0) | (1 << (bit & 31));
    chunk.count++;
    this.#directory.size++;
  }

  /** Deletes a slot. Idempotent. */
  delete(slot: number): void {
    this.#clear(Math.floor(slot / BITS), 1 << (slot % BITS));
  }

  /** Deletes some slots, a word at a time. Idempotent. */
  deleteAll({ numbers, bits }: SparseWords): void {
    for (let i = 0; i < numbers.length; i++) this.#clear(numbers[i] ?? 0, bits[i] ?? 0);
  }

  /** Takes a snapshot of the slots. */
  snapshot(): Bitmap {
    this.#epoch = this.#directory.epoch + 1;
    return this.#directory;
  }

  /** Clears bits of a word. */
  #clear(word: number, bits: number): void {
    const number = Math.floor(word / WORDS);
    const at = word % WORDS;
    const held = (this.#directory.words(number)?.[at] ?? 0) & bits;
    if (held === 0) return;
    const chunk = this.#chunkToWrite(number);
    chunk.words[at] = (chunk.words[at] ?? 0) ^ held;
    const count = onesIn(held);
    chunk.count -= count;
    this.#directory.size -= count;
    if (chunk.count === 0) this.#drop(number);
  }

  #directoryToWrite(): Directory {
    if (this.#directory.epoch !== this.#epoch) {
      this.#directory = this.#directory.copy(this.#epoch);
    }
    return this.#directory;
  }

  #chunkToWrite(number: number): Chunk {
    const directory = this.#directoryToWrite();
    if (directory.chunks.length === 0) directory.first = number;
    if (number < directory.first) {
      const added: undefined[] = new Array(directory.first - number).fill(undefined);
      directory.chunks = [...added, ...directory.chunks];
      directory.first = number;
    }
    const { chunks } = directory;
    const index = number - directory.first;
    while (chunks.length < index) chunks.push(undefined);
    const epoch = this.#epoch;
    let chunk = chunks[index];
    if (!chunk) {
      chunk = { epoch, words: new Int32Array(WORDS), count: 0 };
      this.#chunkCount++;
    } else if (chunk.epoch !== epoch) {
      chunk = { epoch, words: chunk.words.slice(), count: chunk.count };
    }
    chunks[index] = chunk;
    return chunk;
  }

  #drop(number: number): void {
    const directory = this.#directory;
    const { chunks } = directory;
    chunks[number - directory.first] = undefined;
    this.#chunkCount--;
    while (chunks.length > 0 && chunks.at(-1) === undefined) chunks.pop();
    const leading = chunks.findIndex((chunk) => chunk !== undefined);
    // Trimmed rarely, since each trim moves the rest.
    if (leading > chunks.length / 2) {
      chunks.splice(0, leading);
      directory.first += leading;
    }
  }
}

/** Sorts slots and drops duplicates. */
export function* inSlotOrder(blocks: SlotBlocks): SlotBlocks {
  const few: number[] = [];
  for (let next = blocks.next(); !next.done; next = blocks.next()) {
    if (next.value.length === 0) yield [];
    for (const slot of next.value) few.push(slot);
    if (few.length > BLOCK_SIZE) {
      yield* inOrderOfMany(few, blocks);
      return;
    }
  }
  few.sort((a, b) => a - b);
  yield few.filter((slot, i) => slot !== few[i - 1]);
}

function* inOrderOfMany(first: readonly number[], others: SlotBlocks): SlotBlocks {
  const slots = new SlotSet();
  for (const slot of first) slots.add(slot);
  for (const block of others) {
    for (const slot of block) slots.add(slot);
    yield [];
  }
  yield* slotsOf(slots.snapshot());
}
