import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Dictionary } from '../../../src/table/indexes/dictionary.ts';
import type { PostingLists } from '../../../src/table/indexes/posting-lists.ts';
import type { Segment } from '../../../src/table/indexes/segment.ts';
import { SegmentBuilder } from '../../../src/table/indexes/segment-builder.ts';
import { mergedSegment } from '../../../src/table/indexes/segment-merger.ts';
import { Random, SEED } from '../support/random.ts';
import { resultOf } from '../support/steps.ts';

const builder = new SegmentBuilder();

function contentOf(lists: PostingLists): [number, number[]][] {
  return [...lists.keys].map((key, list) => {
    const rows = new Int32Array(lists.count(list));
    lists.decode(list, rows);
    return [key, [...rows]];
  });
}

/** What a search can see of a segment. */
function stateOf({ slots, terms, trigrams }: Segment) {
  return { slots: [...slots], terms: contentOf(terms), trigrams: contentOf(trigrams) };
}

describe('merging segments', () => {
  test(`is the same as building one of their texts (seed ${SEED})`, () => {
    const random = new Random(SEED);
    for (let round = 0; round < 60; round++) {
      const dictionary = new Dictionary();
      const word = () => (random.chance(20) ? 'x'.repeat(40) : `w${random.below(30)}`);
      const built = (slots: readonly number[], texts: readonly string[]) =>
        resultOf(builder.build({ generation: 1, slots, texts }, dictionary));
      const kept = new Map<number, string>();
      const parts = Array.from({ length: 1 + random.below(6) }, () => {
        const from = random.below(500);
        const all = Array.from({ length: random.below(200) }, (_, i) => from + 2 * i);
        const texts = all.map(() => random.list(4, word).join(' '));
        const slots = all.filter((slot) => !kept.has(slot) && !random.chance(5));
        for (const slot of slots) kept.set(slot, texts[all.indexOf(slot)] ?? '');
        return { segment: built(all, texts), slots };
      });
      const slots = [...kept.keys()].sort((a, b) => a - b);
      const merged = resultOf(mergedSegment(parts, 2));
      const expected = built(
        slots,
        slots.map((slot) => kept.get(slot) ?? ''),
      );
      assert.deepEqual(stateOf(merged), stateOf(expected));
      assert.equal(merged.generation, 2);
    }
  });
});
