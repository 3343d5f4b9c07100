import type { Dictionary } from './dictionary.ts';
import type { LookedUpPart, Segment } from './segment.ts';
import { type Part, partsOf } from './terms.ts';
import { trigramKeys } from './trigrams.ts';

/**
 * The maximum number of parts of a search text to look up, and of trigrams of a part. More would
 * hardly reduce the candidates.
 */
const MAX_LOOKED_UP = 16;

/** The maximum number of terms to look at for those that contain one of the parts. */
const MAX_TERMS_LOOKED_AT = 4096;

/** Checking a candidate against its text costs as much as looking at this many terms. */
const TERMS_PER_CHECK = 2;

/** Reading a bitmap of all rows takes as long as decoding a list of this share of the rows. */
const BITMAP_SHARE = 1 / 64;

/**
 * Looks up the parts of texts that all matching rows contain. Parts that are in very many terms
 * are left out, and so are those that cost more to look up than they can save.
 *
 * @param entries the number of rows in all segments
 * @returns the parts, in the order in which to read their lists
 */
export function lookedUp(
  texts: readonly string[],
  dictionary: Dictionary,
  segments: readonly Segment[],
  entries: number,
): readonly LookedUpPart[] {
  const found: LookedUpPart[] = [];
  let fewest = Number.POSITIVE_INFINITY;
  let left = MAX_TERMS_LOOKED_AT;
  for (const { part, cost } of byCost(texts, dictionary)) {
    if (cost > Math.min(left, fewest * TERMS_PER_CHECK)) break;
    left -= cost;
    const { terms, keys, rows } = lookedUpPart(part, dictionary, segments);
    const isText = part.isText && texts.length === 1;
    found.push({ terms, keys, isText, share: rows / Math.max(1, entries) });
    fewest = Math.min(fewest, rows);
  }
  return found.sort((a, b) => costOf(a) - costOf(b));
}

/** Returns parts of texts that are cheap to look up, the cheapest first. */
function byCost(texts: readonly string[], dictionary: Dictionary) {
  const parts: Part[] = [];
  for (const text of texts) parts.push(...partsOf(text));
  return sampled(parts)
    .map((part) => ({ part, cost: dictionary.cost(part) }))
    .sort((a, b) => a.cost - b.cost);
}

function lookedUpPart(part: Part, dictionary: Dictionary, segments: readonly Segment[]) {
  const terms = dictionary.containing(part);
  let rows = 0;
  for (const term of terms) rows += dictionary.rows(term);
  // A term of the dictionary is in no other list.
  if (part.isWhole && terms.length > 0) return { terms, keys: [], rows };
  if (segments.every(({ trigrams }) => trigrams.isEmpty)) return { terms, keys: [], rows };
  const keys = sampled(trigramKeys(part.units));
  for (const segment of segments) rows += segment.otherRowsWith(keys);
  return { terms, keys, rows };
}

/** Returns at most `MAX_LOOKED_UP` items of a list, evenly spaced. */
function sampled<T>(list: readonly T[]): readonly T[] {
  const { length } = list;
  if (length <= MAX_LOOKED_UP) return list;
  const share = (i: number) => Math.floor((i * MAX_LOOKED_UP) / length);
  return list.filter((_, i) => share(i) !== share(i + 1));
}

/** Returns the cost of beginning with a part: the rows of many terms go through a bitmap. */
function costOf({ terms, share }: LookedUpPart): number {
  return terms.length === 1 ? share : share + BITMAP_SHARE;
}
