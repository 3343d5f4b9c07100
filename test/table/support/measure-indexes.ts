import { BitmapIndex } from '../../../src/table/indexes/bitmap-index.ts';
import { OrderedIndex } from '../../../src/table/indexes/ordered-index.ts';
import type { SegmentBuilder } from '../../../src/table/indexes/segment-builder.ts';
import { SlotSet } from '../../../src/table/indexes/slot-set.ts';
import { SubstringIndex } from '../../../src/table/indexes/substring-index.ts';
import { Random } from './random.ts';

/*
 * Prints the bytes that indexes count and the growth of the process, one line per index. Run it
 * with --expose-gc as a separate process.
 */

const ROWS = 200_000;
const random = new Random(1);
const values = Array.from({ length: ROWS }, () => random.below(ROWS));
const words = Array.from({ length: 500 }, (_, i) => `word${i}`);
// Decoded from bytes, so that each is a separate flat string.
const texts = values.map((value) =>
  Buffer.from(`${words[value % 500]} ${words[value % 7]} ${value}`).toString(),
);

/** The memory in use, once collections free no more of it: V8 sweeps array buffers later. */
function used(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let fruitless = 0; fruitless < 4; fruitless++) {
    globalThis.gc?.();
    // `external` includes array buffers.
    const { heapUsed, external } = process.memoryUsage();
    if (heapUsed + external < least) fruitless = 0;
    least = Math.min(least, heapUsed + external);
  }
  return least;
}

/** Keeps the measured indexes alive until the process ends. */
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
    text: (slot: number) => texts[slot] ?? null,
  };
  const index = new SubstringIndex('text', source, builders);
  for (const [slot, text] of texts.entries()) index.replace(slot, undefined, { text });
  while (index.isPending) for (const _ of index.work());
  builders.length = 0;
  return index;
});
