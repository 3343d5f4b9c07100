/** The median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value below which a share of the values lies; the values must be sorted. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * The order of a round: forwards, then backwards, so that no position has an advantage on a machine
 * that warms up or slows down.
 */
export function alternating<T>(items: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? items : items.toReversed();
}

/** A number with about three significant digits. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** A duration in a suitable unit. */
export function duration(microseconds: number): string {
  if (!Number.isFinite(microseconds)) return '–';
  if (microseconds >= 1e6) return `${digits(microseconds / 1e6)} s`;
  return microseconds >= 1e3 ? `${digits(microseconds / 1e3)} ms` : `${digits(microseconds)} µs`;
}
