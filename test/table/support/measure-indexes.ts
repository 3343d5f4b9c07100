import { BitmapIndex } from '../../../src/table/indexes/bitmap-index.ts';
import { OrderedIndex } from '../../../src/table/indexes/ordered-index.ts';
import type { SegmentBuilder } from '../../../src/table/indexes/segment-builder.ts';
import { SlotSet } from '../../../src/table/indexes/slot-set.ts';
import { SubstringIndex } from '../../../src/table/indexes/substring-index.ts';
import { Random } from './random.ts';

/*
 * Prints what indexes count, and what the process has grown by, a line for each. To be run with
 * --expose-gc, in a process of its own.
 */

const ROWS = 200_000;
const random = new Random(1);
const values = Array.from({ length: ROWS }, () => random.below(ROWS));
const words = Array.from({ length: 500 }, (_, i) => `word${i}`);
// Through bytes, so that each is a string of its own that is not put together of others.
const texts = values.map((value) =>
  Buffer.from(`${words[value % 500]} ${words[value % 7]} ${value}`).toString(),
);

function used(): number {
  for (let i = 0; i < 4; i++) globalThis.gc?.();
  // Memory of array buffers is a part of `external`.
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Keeps what was measured until the process ends. */
const kept: unknown[] = [];

function measure(kind: string, build: () => { readonly bytes: number }): void {
  const before = used();
  const index = build();
  kept.push(index);
  const measured = used() - before;
  process.stdout.write(`${JSON.stringify({ kind, counted: index.bytes, measured })}\n`);
}

measure('a set of slots', () => {
  const slots = new SlotSet();
  for (let slot = 0; slot < 64 * ROWS; slot += 64) slots.add(slot);
  return slots;
});

measure('an ordered index, filled in order', () => {
  const index = new OrderedIndex('value', 'integer');
  for (let slot = 0; slot < ROWS; slot++) index.replace(slot, undefined, { value: slot });
  return index;
});

measure('an ordered index, filled in no order', () => {
  const index = new OrderedIndex('value', 'integer');
  for (const [slot, value] of values.entries()) index.replace(slot, undefined, { value });
  return index;
});

measure('a bitmap index', () => {
  const index = new BitmapIndex('value', 'integer');
  for (let slot = 0; slot < 20 * ROWS; slot++) index.replace(slot, undefined, { value: slot % 7 });
  return index;
});

measure('a substring index', () => {
  const builders: SegmentBuilder[] = [];
  const source = {
    rowCount: () => ROWS,
    has: () => true,
    folded: (slot: number) => texts[slot] ?? null,
  };
  const index = new SubstringIndex('text', source, builders);
  for (const [slot, text] of texts.entries()) index.replace(slot, undefined, { text });
  while (index.isPending) for (const _ of index.work());
  builders.length = 0;
  return index;
});
