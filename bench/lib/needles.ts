import { pick, randomOf } from './random.ts';
import type { Row } from './rows.ts';

/**
 * Needles are ASCII without an "s", so that every way to ignore case finds the same rows. (Full
 * case folding lets "ss" find "ß", which LIKE, FTS5 and toLowerCase do not.)
 */
const COMPARABLE = /^[A-RT-Za-rt-z][A-RT-Za-rt-z ]*[A-RT-Za-rt-z]$/;

/**
 * The minimum number of needles, so that a cache of results cannot help. Small tables may have
 * fewer than wanted.
 */
const FEW = 5;

const TRIES = 50_000;

/** Counts the rows with a needle in title or description, ignoring case, without any index. */
export function counterOf(rows: readonly Row[]): (needle: string, enough?: number) => number {
  const texts = rows.map(({ title, description }) => `${title}\n${description}`.toLowerCase());
  return (needle, enough = Number.POSITIVE_INFINITY) => {
    const folded = needle.toLowerCase();
    let count = 0;
    for (const text of texts) {
      if (text.includes(folded)) count++;
      if (count === enough) break;
    }
    return count;
  };
}

/**
 * Up to `wanted` distinct substrings of the rows' texts, at least 4 long, each matching `min` to
 * `max` rows.
 */
export function needlesMatching(
  rows: readonly Row[],
  { min, max, wanted }: { readonly min: number; readonly max: number; readonly wanted: number },
): string[] {
  const random = randomOf(rows.length);
  const countOf = counterOf(rows);
  const found = new Set<string>();
  for (let tries = 0; tries < TRIES && found.size < wanted; tries++) {
    const row = pick(random, rows);
    const text = random() < 0.3 ? row.title : row.description;
    const length = 4 + Math.floor(random() * 8);
    const start = Math.floor(random() * (text.length - length));
    const needle = text.slice(start, start + length);
    if (!COMPARABLE.test(needle) || found.has(needle)) continue;
    const count = countOf(needle, max + 1);
    if (count >= min && count <= max) found.add(needle);
  }
  if (found.size < FEW) throw new Error(`only ${found.size} needles match ${min} to ${max} rows`);
  return [...found];
}
