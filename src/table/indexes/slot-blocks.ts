/** The most slots of a block: some microseconds of work, to find them and to look at their rows. */
export const BLOCK_SIZE = 512;

/**
 * Slots as an index finds them, in blocks of no more than `BLOCK_SIZE`: whoever reads them can pause
 * after each. An empty block means no more than that some work was done.
 */
export type SlotBlocks = Generator<readonly number[], void>;

/** A list, cut into blocks. */
export function* inBlocks(slots: readonly number[]): SlotBlocks {
  for (let at = 0; at < slots.length; at += BLOCK_SIZE) yield slots.slice(at, at + BLOCK_SIZE);
}

/** All slots between two, `to` not included. */
export function* between(from: number, to: number): SlotBlocks {
  for (let start = from; start < to; start += BLOCK_SIZE) {
    const length = Math.min(BLOCK_SIZE, to - start);
    yield Array.from({ length }, (_, i) => start + i);
  }
}

/** One after the other. */
export function* concatenated(parts: readonly SlotBlocks[]): SlotBlocks {
  for (const part of parts) yield* part;
}

/** What is ascending, up to, and without, `end`. */
export function* below(end: number, ascending: SlotBlocks): SlotBlocks {
  for (const block of ascending) {
    if ((block.at(-1) ?? -1) < end) yield block;
    else {
      yield block.filter((slot) => slot < end);
      return;
    }
  }
}

/** Ascending, each slot once, what is ascending in each of some parts. */
export function united(parts: readonly SlotBlocks[]): SlotBlocks {
  const [first, ...others] = parts;
  if (!first) return inBlocks([]);
  if (others.length === 0) return first;
  // Halves, so that many parts nest no deeper than their logarithm.
  const half = parts.length >> 1;
  return merged(united(parts.slice(0, half)), united(parts.slice(half)));
}

function* merged(a: SlotBlocks, b: SlotBlocks): SlotBlocks {
  const left = new Reader(a);
  const right = new Reader(b);
  let block: number[] = [];
  while (!(left.ended && right.ended)) {
    if (left.isEmpty) left.fill();
    else if (right.isEmpty) right.fill();
    else {
      const slot = Math.min(left.first, right.first);
      if (left.first === slot) left.skip();
      if (right.first === slot) right.skip();
      block.push(slot);
    }
    if (block.length < BLOCK_SIZE && !(left.isEmpty || right.isEmpty)) continue;
    yield block;
    block = [];
  }
}

/** Reads blocks slot by slot; after the end, all is infinity. */
class Reader {
  readonly #blocks: SlotBlocks;
  #block: readonly number[] = [];
  #at = 0;
  ended = false;

  constructor(blocks: SlotBlocks) {
    this.#blocks = blocks;
  }

  get isEmpty(): boolean {
    return !this.ended && this.#at === this.#block.length;
  }

  get first(): number {
    return this.#block[this.#at] ?? Number.POSITIVE_INFINITY;
  }

  skip(): void {
    this.#at++;
  }

  fill(): void {
    const next = this.#blocks.next();
    this.#at = 0;
    this.#block = next.value ?? [];
    this.ended = next.done === true;
  }
}
