/**
 * The maximum number of slots in a block. Finding them and reading their rows takes some
 * microseconds.
 */
export const BLOCK_SIZE = 512;

/**
 * Slots, in blocks of at most `BLOCK_SIZE`. The reader can pause after each. An empty block means
 * only that some work was done.
 */
export type SlotBlocks = Generator<readonly number[], void>;

/** Ascending slots, all of them at least `from`. */
export interface AscendingSlots {
  readonly from: number;
  readonly blocks: SlotBlocks;
}

/** Splits a list into blocks. */
export function* inBlocks(slots: readonly number[]): SlotBlocks {
  for (let at = 0; at < slots.length; at += BLOCK_SIZE) yield slots.slice(at, at + BLOCK_SIZE);
}

/** Lists all slots of a range; `to` is exclusive. */
export function* slotsBetween(from: number, to: number): SlotBlocks {
  for (let start = from; start < to; start += BLOCK_SIZE) {
    const length = Math.min(BLOCK_SIZE, to - start);
    yield Array.from({ length }, (_, i) => start + i);
  }
}

/** Concatenates several lists of slots. */
export function* concatenated(parts: readonly SlotBlocks[]): SlotBlocks {
  for (const part of parts) yield* part;
}

/**
 * Merges several lists of ascending slots, without duplicates. If they are expected to have more
 * than a block of slots, a part is not read until its slots may come next. Otherwise one after the
 * other is read as a whole, which takes less time, with a pause after each.
 *
 * @param expected the estimated number of slots
 */
export function united(
  parts: readonly AscendingSlots[],
  expected = Number.POSITIVE_INFINITY,
): SlotBlocks {
  return expected > BLOCK_SIZE ? unitedInTurn(parts) : unitedAsWhole(parts);
}

function* unitedAsWhole(parts: readonly AscendingSlots[]): SlotBlocks {
  let slots: readonly number[] = [];
  let partsRead = 0;
  for (const { blocks } of parts) {
    for (let next = blocks.next(); !next.done; next = blocks.next()) {
      if (next.value.length === 0) yield [];
      else slots = unionOf(slots, next.value);
      if (slots.length <= BLOCK_SIZE) continue;
      const read = { from: slots[0] ?? 0, blocks: inBlocks(slots) };
      yield* unitedInTurn([read, ...parts.slice(partsRead)]);
      return;
    }
    partsRead++;
    yield [];
  }
  yield slots;
}

/** Merges two ascending lists. */
function unionOf(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a.length === 0) return b;
  const slots: number[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const left = a[i] ?? Number.POSITIVE_INFINITY;
    const right = b[j] ?? Number.POSITIVE_INFINITY;
    slots.push(Math.min(left, right));
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return slots;
}

function unitedInTurn(parts: readonly AscendingSlots[]): SlotBlocks {
  return unitedInOrder(parts.toSorted((a, b) => a.from - b.from)).blocks;
}

/**
 * Merges parts in order of `from`, so that parts that do not overlap are read one after the other.
 */
function unitedInOrder(parts: readonly AscendingSlots[]): AscendingSlots {
  const [first, ...others] = parts;
  if (!first) return { from: 0, blocks: inBlocks([]) };
  if (others.length === 0) return first;
  const half = parts.length >> 1;
  const left = unitedInOrder(parts.slice(0, half));
  return { from: first.from, blocks: merged(left, unitedInOrder(parts.slice(half))) };
}

function* merged(a: AscendingSlots, b: AscendingSlots): SlotBlocks {
  const left = new BlockReader(a);
  const right = new BlockReader(b);
  while (!(left.ended && right.ended)) {
    const [ahead, other] = left.next <= right.next ? [left, right] : [right, left];
    if (ahead.isEmpty) {
      if (ahead.fill() === 'worked') yield [];
    } else if (ahead.last < other.next) {
      yield ahead.takeRest();
    } else if (other.isEmpty) {
      if (other.fill() === 'worked') yield [];
    } else {
      yield overlap(ahead, other);
    }
  }
}

/** Merges the current blocks of two readers, until one of them is empty. */
function overlap(a: BlockReader, b: BlockReader): number[] {
  const slots: number[] = [];
  const left = a.block;
  const right = b.block;
  let i = a.at;
  let j = b.at;
  while (i < left.length && j < right.length && slots.length < BLOCK_SIZE) {
    const x = left[i] ?? 0;
    const y = right[j] ?? 0;
    slots.push(Math.min(x, y));
    if (x <= y) i++;
    if (y <= x) j++;
  }
  a.at = i;
  b.at = j;
  return slots;
}

/** Reads a list of slots. */
class BlockReader {
  readonly #blocks: SlotBlocks;
  /** The current block. */
  block: readonly number[] = [];
  /** How many slots of the block have been read. */
  at = 0;
  /** A lower bound for the slots after the current block. */
  #bound: number;

  constructor({ from, blocks }: AscendingSlots) {
    this.#blocks = blocks;
    this.#bound = from;
  }

  /** The next slot; if no block is loaded, a lower bound for it. */
  get next(): number {
    return this.block[this.at] ?? this.#bound;
  }

  get isEmpty(): boolean {
    return this.at === this.block.length;
  }

  get ended(): boolean {
    return this.#bound === Number.POSITIVE_INFINITY;
  }

  /** The last slot of the current block. */
  get last(): number {
    return this.#bound - 1;
  }

  /** Returns the slots of the block that have not been read, and reads them. */
  takeRest(): readonly number[] {
    const rest = this.at === 0 ? this.block : this.block.slice(this.at);
    this.at = this.block.length;
    return rest;
  }

  /**
   * Loads the next block, if there is one. `worked` means that it is empty, but took some work.
   */
  fill(): 'filled' | 'worked' | 'ended' {
    const { done, value } = this.#blocks.next();
    this.block = value ?? [];
    this.at = 0;
    if (done) {
      this.#bound = Number.POSITIVE_INFINITY;
      return 'ended';
    }
    this.#bound = Math.max(this.#bound, (this.block.at(-1) ?? -1) + 1);
    return this.block.length > 0 ? 'filled' : 'worked';
  }
}
