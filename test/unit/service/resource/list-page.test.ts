import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PageSearch } from '../../../../src/service/resource/query/list-page.ts';

describe('the search for a page', () => {
  it('ends with the rows of every step, and how many there are in all', () => {
    const parts = [[1, 2], undefined, [3]].values();
    const rows = { bytes: 1_000, total: 7, next: () => parts.next() };
    const search = new PageSearch(rows);
    const held: (number | undefined)[] = [];
    let step = search.next();
    for (; !step.done; step = search.next()) held.push(search.bytes);
    assert.equal(step.value.total, 7);
    assert.equal(step.value.rows.bytes, 24);
    assert.deepEqual(step.value.rows.next(), { done: false, value: [1, 2, 3] });
    assert.deepEqual(step.value.rows.next(), { done: true, value: undefined });
    assert.deepEqual(held, [1_016, 1_016, 1_024], 'eight bytes for each row found');
  });

  it('closes its search when it is closed', () => {
    let closed = 0;
    const rows = { total: 0, next: () => [].values().next(), close: () => closed++ };
    new PageSearch(rows).close();
    assert.equal(closed, 1);
  });
});
