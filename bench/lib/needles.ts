import { pick, randomOf } from './random.ts';
import type { Row } from './rows.ts';

/**
 * Texts to look for are ASCII without an "s": there every way to ignore case gives the same rows.
 * (Full case folding lets "ss" find "ß", which LIKE, FTS5 and toLowerCase do not.)
 */
const COMPARABLE = /^[A-RT-Za-rt-z][A-RT-Za-rt-z ]*[A-RT-Za-rt-z]$/;

/**
 * Small tables do not have as many as are wanted; with fewer than this, a cache of answers could
 * help.
 */
const FEW = 5;

const TRIES = 50_000;

/**
 * Counts, in the plainest way, the rows that have a needle in title or description, ignoring case.
 */
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
 * Up to `wanted` different pieces of the rows' texts, at least 4 long, each of which `min` to `max`
 * rows match.
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
