/** So many rows are sorted at once, and so many merged in a step: a fraction of a millisecond of work. */
const RUN = 512;

/**
 * Sorts like `Array.prototype.sort`, stably, but yields again and again on the way, so that a caller can let other work
 * in between: short runs are sorted, then merged two by two (Knuth, The Art of Computer Programming, 5.2.4).
 */
export function* sortInSteps<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += RUN) {
    runs.push(items.slice(start, start + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, T[]> {
  const merged: T[] = [];
  let fromA = 0;
  let fromB = 0;
  while (merged.length < a.length + b.length) {
    const end = Math.min(merged.length + RUN, a.length + b.length);
    while (merged.length < end) {
      const x = a[fromA];
      const y = b[fromB];
      if (y === undefined || (x !== undefined && compare(x, y) <= 0)) {
        if (x !== undefined) merged.push(x);
        fromA++;
      } else {
        merged.push(y);
        fromB++;
      }
    }
    yield;
  }
  return merged;
}
