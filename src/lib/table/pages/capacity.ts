/** Slots of a page: the rows of one page have consecutive slots. */
export const PAGE_SLOTS = 4096;

/** The least number of positions of a page: it doubles up to the step, and then grows by it. */
export const MIN_CAPACITY = 64;
const CAPACITY_STEP = 512;

/** The share of its positions that have a row, and of those that had one, to pack a page. */
const SPARSE = 5 / 8;
const THINNED = 7 / 8;

/** Returns the least number of positions for so many rows and one more. */
export function capacityFor(rows: number): number {
  let capacity = MIN_CAPACITY;
  while (capacity <= rows && capacity < PAGE_SLOTS) capacity = nextCapacity(capacity);
  return capacity;
}

/** Returns the next larger number of positions. */
export function nextCapacity(capacity: number): number {
  return capacity < CAPACITY_STEP ? capacity * 2 : capacity + CAPACITY_STEP;
}

/** Whether so few positions have a row that packing is worth it; not after each deletion. */
export function isSparse(page: Record<'capacity' | 'end' | 'size', number>): boolean {
  const { capacity, end, size } = page;
  return capacity > MIN_CAPACITY && size <= capacity * SPARSE && size <= end * THINNED;
}
