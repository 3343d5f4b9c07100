/**
 * Returns the first index for which `isBefore` is false, by binary search. `isBefore` must be true
 * below that index and false from there on.
 */
export function partitionPoint(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the index of the first value that is not below `wanted`. Values must ascend. */
export function lowerBound(values: Uint16Array | Float64Array, wanted: number): number {
  return partitionPoint(values.length, (i) => (values[i] ?? 0) < wanted);
}
