import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SubstringIndex } from '../../../src/table/indexes/substring-index.ts';

/** A text of the greatest length, with two code units for each letter. */
const LONGEST = '\u{10428}'.repeat(1000);
const UNITS = LONGEST.length;

/** An index, with a count of the units of text that it reads. */
function indexOf(rows: number) {
  const texts = new Map<number, string>();
  let read = 0;
  const source = {
    rowCount: () => texts.size,
    has: (slot: number) => texts.has(slot),
    text: (slot: number) => {
      const text = texts.get(slot);
      if (text === undefined) return null;
      read += text.length;
      return text;
    },
  };
  const index = new SubstringIndex('text', source, []);
  const put = (slot: number, text: string) => {
    const before = texts.get(slot);
    texts.set(slot, text);
    index.replace(slot, before === undefined ? undefined : { text: before }, { text });
  };
  for (let slot = 0; slot < rows; slot++) put(slot, LONGEST);
  /** Runs all steps, and returns the most units that any of them read. */
  const mostInAStep = () => {
    let most = 0;
    while (index.isPending) {
      const work = index.work();
      do {
        most = Math.max(most, read);
        read = 0;
      } while (!work.next().done);
    }
    return Math.max(most, read);
  };
  return { index, put, mostInAStep };
}

describe('indexing', () => {
  test('reads only a few texts per step, however long they are', () => {
    const { put, mostInAStep } = indexOf(600);
    assert.ok(mostInAStep() <= 2 * UNITS);
    for (let slot = 0; slot < 600; slot++) put(slot, `${LONGEST.slice(0, -2)}x`);
    assert.ok(mostInAStep() <= 2 * UNITS, 'the same holds for changed texts');
  });

  test('takes steps in proportion to the texts', () => {
    const { index } = indexOf(100);
    let steps = 0;
    for (const _ of index.work()) steps++;
    assert.ok(steps >= 100, `${steps} steps to read, measure and write 100 texts`);
  });
});
