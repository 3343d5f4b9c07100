import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition } from '../../../../../src/lib/table/condition/condition.ts';
import type { SearchOptions } from '../../../../../src/lib/table/query/search-options.ts';
import { workOf } from '../support/costs.ts';
import { filled, impatient, type schema } from '../support/tables.ts';

const ROWS = 4_000;

/** The bytes of rows that a step looks at before it reads the clock. */
const STEP_BYTES = 64 * 1024;

/** What the division of a chunk counts as, in bytes of rows. */
const DIVISION_BYTES = 16 * 1024;

describe('a step of a cursor', () => {
  const table = filled(ROWS, { clock: impatient() });
  const rowBytes = table.bytes;
  const work = (where: readonly Condition[], options: SearchOptions<keyof typeof schema> = {}) => {
    const cursor = table.cursor(where, options);
    return workOf(() => cursor.next());
  };
  const nowhere: Condition = { op: 'contains', column: 'title', value: 'nowhere' };

  for (const [what, times, where, options] of [
    ['a text', 1, [nowhere], {}],
    ['a hundred texts', 100, [{ op: 'or', conditions: Array(100).fill(nowhere) }], {}],
    ['an order', 1, [], { orderBy: [{ column: 'title' }] }],
    ['an order and a page', 1, [], { orderBy: [{ column: 'title' }], limit: 10 }],
    ['an order that ignores case', 1, [], { orderBy: [{ column: 'title', ignoreCase: true }] }],
  ] as const) {
    it(`looks at a few rows if the clock says so: ${what}`, () => {
      const { total, longest } = work(where, options);
      assert.ok(total >= times * rowBytes * 0.9, `${total} bytes of ${times} times ${rowBytes}`);
      // A row or a division that has begun is finished.
      assert.ok(longest <= STEP_BYTES + DIVISION_BYTES + times * 400, `${longest} bytes`);
    });
  }

  it('looks at rows one time for each condition that they pass', () => {
    const never = { op: 'eq', column: 'title', value: 'nowhere' } as const;
    assert.ok(work([never, nowhere, nowhere]).total < 1.5 * rowBytes);
  });

  it('skips the rows before an offset', () => {
    const { total } = work([], { offset: ROWS - 10 });
    assert.ok(total < rowBytes / 10, `${total} bytes`);
  });

  it('does much if the clock does not say otherwise', () => {
    const patient = filled(ROWS);
    const cursor = patient.cursor([nowhere], { orderBy: [{ column: 'title' }] });
    let steps = 0;
    while (!cursor.next().done) steps++;
    assert.equal(steps, 0);
  });
});

describe('a cursor', () => {
  const table = filled(ROWS, { clock: impatient() });

  it('returns nothing more when it is closed', () => {
    const cursor = table.cursor();
    while (!cursor.next().value);
    cursor.close();
    assert.deepEqual([...cursor], []);
    assert.deepEqual(cursor.next(), { done: true, value: undefined });
  });

  it('is closed by a loop that ends early', () => {
    const cursor = table.cursor();
    table.update(1, { note: 'changed' });
    for (const { id } of cursor) if (id === 3) break;
    assert.deepEqual([...cursor], []);
  });
});
