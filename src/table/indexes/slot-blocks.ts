/** The most slots of a block: some microseconds of work, to find them and to look at their rows. */
export const BLOCK_SIZE = 512;

/**
 * Slots as an index finds them, in blocks of no more than `BLOCK_SIZE`: whoever reads them can
 * pause after each. An empty block means no more than that some work was done.
 */
export type SlotBlocks = Generator<readonly number[], void>;

/** Ascending slots, none of them below `from`. */
export interface AscendingSlots {
  readonly from: number;
  readonly blocks: SlotBlocks;
}

/** A list, cut into blocks. */
export function* inBlocks(slots: readonly number[]): SlotBlocks {
  for (let at = 0; at < slots.length; at += BLOCK_SIZE) yield slots.slice(at, at + BLOCK_SIZE);
}

/** All slots between two, `to` not included. */
export function* slotsBetween(from: number, to: number): SlotBlocks {
  for (let start = from; start < to; start += BLOCK_SIZE) {
    const length = Math.min(BLOCK_SIZE, to - start);
    yield Array.from({ length }, (_, i) => start + i);
  }
}

/** One after the other. */
export function* concatenated(parts: readonly SlotBlocks[]): SlotBlocks {
  for (const part of parts) yield* part;
}

/** Of ascending slots, those up to, and without, `end`. */
export function* slotsBelow(end: number, ascending: SlotBlocks): SlotBlocks {
  for (const block of ascending) {
    if ((block.at(-1) ?? -1) < end) yield block;
    else {
      yield block.filter((slot) => slot < end);
      return;
    }
  }
}

/** Unites ascending slots, each slot once. A part is not asked before its slots may be the next. */
export function united(parts: readonly AscendingSlots[]): SlotBlocks {
  return unitedInOrder(parts.toSorted((a, b) => a.from - b.from)).blocks;
}

/** In order of where they start, so that parts that lie apart are read one after the other. */
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

/** The next slots of two readers, as far as both have a block. */
function overlap(a: BlockReader, b: BlockReader): number[] {
  const slots: number[] = [];
  while (!(a.isEmpty || b.isEmpty) && slots.length < BLOCK_SIZE) {
    const slot = Math.min(a.next, b.next);
    a.skip(slot);
    b.skip(slot);
    slots.push(slot);
  }
  return slots;
}

/** Reads blocks slot by slot. */
class BlockReader {
  readonly #blocks: SlotBlocks;
  #block: readonly number[] = [];
  #at = 0;
  /** What comes after the block is not below this. */
  #bound: number;

  constructor({ from, blocks }: AscendingSlots) {
    this.#blocks = blocks;
    this.#bound = from;
  }

  /** The next slot, or where there is none yet, what it will not be below. */
  get next(): number {
    return this.#block[this.#at] ?? this.#bound;
  }

  get isEmpty(): boolean {
    return this.#at === this.#block.length;
  }

  get ended(): boolean {
    return this.#bound === Number.POSITIVE_INFINITY;
  }

  /** The last slot of the block. */
  get last(): number {
    return this.#bound - 1;
  }

  /** Takes a slot, if it is the next. */
  skip(slot: number): void {
    if (this.#block[this.#at] === slot) this.#at++;
  }

  takeRest(): readonly number[] {
    const rest = this.#block.slice(this.#at);
    this.#at = this.#block.length;
    return rest;
  }

  /** Reads the next block, if there is any: `worked` says that it is empty, and took some work. */
  fill(): 'filled' | 'worked' | 'ended' {
    const { done, value } = this.#blocks.next();
    this.#block = value ?? [];
    this.#at = 0;
    if (done) {
      this.#bound = Number.POSITIVE_INFINITY;
      return 'ended';
    }
    this.#bound = Math.max(this.#bound, (this.#block.at(-1) ?? -1) + 1);
    return this.#block.length > 0 ? 'filled' : 'worked';
  }
}
