import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FoundRows, isPaged, PageWork } from '../../src/resource/list-page.ts';

describe('the search for a page', () => {
  it('ends with the rows of every step, and how many there are in all', () => {
    const steps = [[1, 2], [], [3]];
    const work = new PageWork({
      bytes: 1_000,
      total: 7,
      step: () => steps.shift(),
      close: () => {},
    });
    const held: number[] = [];
    let step = work.next();
    for (; step.done !== true; step = work.next()) held.push(work.bytes);
    assert.deepEqual(step.value, { rows: [1, 2, 3], total: 7 });
    assert.deepEqual(held, [1_016, 1_016, 1_024], 'eight bytes for each row found');
  });
});

describe('rows that have been found', () => {
  it('come at once, and once', () => {
    const rows = new FoundRows(['a', 'b', 'c']);
    assert.equal(rows.bytes, 24);
    assert.deepEqual(rows.step(), ['a', 'b', 'c']);
    assert.equal(rows.step(), undefined);
  });
});

describe('a part of a list', () => {
  it('is asked for by a limit or an offset, be it 0', () => {
    for (const [limit, offset, isPart] of [
      [undefined, undefined, false],
      [0, undefined, true],
      [undefined, 0, true],
      [1, 1, true],
    ] as const) {
      assert.equal(isPaged({ orderBy: [], limit, offset }), isPart);
    }
  });
});
