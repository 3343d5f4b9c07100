/**
 * The first index for which `isBefore` does not hold, given that it holds for all below that one
 * and for none above: a binary search.
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

/** The index of the first value that is not below `wanted`, among ascending ones. */
export function lowerBound(values: Uint16Array | Float64Array, wanted: number): number {
  return partitionPoint(values.length, (i) => (values[i] ?? 0) < wanted);
}
