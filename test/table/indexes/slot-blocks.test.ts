import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  BLOCK_SIZE,
  inBlocks,
  type SlotBlocks,
  slotsBetween,
  united,
} from '../../../src/table/indexes/slot-blocks.ts';
import { inSlotOrder } from '../../../src/table/indexes/slot-set.ts';
import { Random, SEED } from '../support/random.ts';

function ascending(slots: Iterable<number>): number[] {
  return [...new Set(slots)].sort((a, b) => a - b);
}

/** Reads blocks, and checks their lengths. */
function read(blocks: SlotBlocks): number[] {
  const slots: number[] = [];
  for (const block of blocks) {
    assert.ok(block.length <= BLOCK_SIZE, 'a block is bounded');
    slots.push(...block);
  }
  return slots;
}

/** Blocks of random lengths, including empty ones. */
function* randomBlocks(random: Random, slots: readonly number[]): SlotBlocks {
  for (let at = 0; at < slots.length; ) {
    const length = random.below(40);
    yield slots.slice(at, at + length);
    at += length;
  }
}

describe('slots in blocks', () => {
  test(`are united in ascending order, each once (seed ${SEED})`, () => {
    const random = new Random(SEED);
    for (let round = 0; round < 200; round++) {
      const lists = random.list(9, () => {
        const start = random.below(2000);
        const spread = random.pick([10, 300, 5000]);
        return ascending(random.list(200, () => start + random.below(spread)));
      });
      const parts = lists.map((slots) => ({
        from: random.chance(2) ? 0 : (slots[0] ?? 0),
        blocks: randomBlocks(random, slots),
      }));
      const expected = random.pick([0, BLOCK_SIZE, BLOCK_SIZE + 1]);
      assert.deepEqual(read(united(parts, expected)), ascending(lists.flat()));
    }
  });

  test('of disjoint parts are read one part after another', () => {
    const asked: number[] = [];
    const part = (from: number) => ({
      from,
      blocks: (function* (): SlotBlocks {
        asked.push(from);
        yield* slotsBetween(from, from + 10);
      })(),
    });
    const slots = united([part(20), part(0), part(10)]);
    const found: number[] = [];
    for (const block of slots) {
      found.push(...block);
      if (found.length === 10) break;
    }
    assert.deepEqual(found, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.deepEqual(asked, [0], 'the others have not been read yet');
  });

  test('of few slots are read part by part, with a pause after each', () => {
    let asked = 0;
    const part = (slot: number) => ({
      from: slot,
      blocks: (function* (): SlotBlocks {
        asked++;
        if (slot > 1) yield [slot];
      })(),
    });
    const slots = united([1, 2, 3].map(part), 3);
    const found: number[] = [];
    for (let pauses = 1; pauses <= 3; pauses++) {
      found.push(...(slots.next().value ?? []));
      assert.equal(asked, pauses);
    }
    assert.deepEqual([...found, ...read(slots)], [2, 3]);
  });

  test(`are sorted, however many they are (seed ${SEED})`, () => {
    const random = new Random(SEED);
    for (const count of [0, 1, BLOCK_SIZE, BLOCK_SIZE + 1, 5000]) {
      const slots = Array.from({ length: count }, () => random.below(100_000));
      assert.deepEqual(read(inSlotOrder(inBlocks(slots))), ascending(slots));
    }
  });
});
