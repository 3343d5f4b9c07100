/**
 * Returns the first integer from `low` up at which a test is true, by bisection; `high` if there is
 * none before it. The test must stay true from there on.
 */
export function firstIndex(low: number, high: number, test: (index: number) => boolean): number {
  let start = low;
  let end = high;
  while (start < end) {
    const middle = Math.floor((start + end) / 2);
    if (test(middle)) end = middle;
    else start = middle + 1;
  }
  return start;
}
