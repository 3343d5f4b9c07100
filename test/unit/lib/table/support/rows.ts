import assert from 'node:assert/strict';

/**
 * Asserts that a search has found exactly these rows, as the very objects, in this order. To
 * compare the members of thousands of rows would take most of the time of a test.
 */
export function assertSame<R extends { readonly id: number | bigint }>(
  found: readonly R[],
  expected: readonly R[],
  what = 'other rows',
): void {
  const isSame = found.length === expected.length && found.every((row, i) => row === expected[i]);
  if (isSame) return;
  assert.deepEqual(idsOf(found), idsOf(expected), what);
  assert.fail(`${what}: the ids are the same, but not the rows`);
}

/** Returns the ids of rows. */
export function idsOf<I>(rows: Iterable<{ readonly id: I }>): I[] {
  return Array.from(rows, ({ id }) => id);
}
