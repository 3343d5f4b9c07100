import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition } from '../../../../src/lib/table/condition/condition.ts';
import type { SearchOptions } from '../../../../src/lib/table/query/search-options.ts';
import { Table } from '../../../../src/lib/table/table.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import { countTests, workOf } from '../../lib/table/support/costs.ts';

const ROWS = 5000;
const LIMIT = 20;

describe('the first items of a list are found without a look at most items', () => {
  const table = new Table(variantB.fields);
  for (let i = 0; i < ROWS; i++) {
    table.insert({
      title: `item ${i}`,
      completed: i % 100 !== 0,
      priority: 1 + (i % 5),
      createdAt: new Date(i * 1000).toISOString().slice(0, -1),
    });
  }
  const on = (op: 'eq' | 'gte', column: string, value: string | number | bigint | boolean) =>
    ({ op, column, value }) as Condition;
  const wanted: Readonly<Record<string, [Condition[], SearchOptions<'priority' | 'createdAt'>]>> = {
    'completed=false': [[on('eq', 'completed', false)], {}],
    'priority=5': [[on('eq', 'priority', 5)], {}],
    'priority.gte=4': [[on('gte', 'priority', 4)], {}],
    'completed=false&priority=5': [[on('eq', 'completed', false), on('eq', 'priority', 5)], {}],
    'completed=false&sort=-priority': [
      [on('eq', 'completed', false)],
      { orderBy: [{ column: 'priority', direction: 'desc' }] },
    ],
    'sort=priority': [[], { orderBy: [{ column: 'priority' }] }],
    'id.gte=4000': [[on('gte', 'id', 4000n)], {}],
    'createdAt.gte=1970-01-01T01:10': [[on('gte', 'createdAt', '1970-01-01T01:10:00.000')], {}],
    'sort=-createdAt': [[], { orderBy: [{ column: 'createdAt', direction: 'desc' }] }],
    'sort=createdAt&offset=4500': [[], { orderBy: [{ column: 'createdAt' }], offset: 4500 }],
  };
  const rows = table.search();

  for (const [query, [where, options]] of Object.entries(wanted)) {
    it(`for ?${query}&limit=${LIMIT}`, () => {
      const cursor = table.cursor(where, { ...options, limit: LIMIT });
      const { total } = workOf(() => cursor.next());
      const rowBytes = table.bytes;
      assert.ok(total < rowBytes / 4, `${total} of ${rowBytes} bytes`);
      const isTested = /^(?:createdAt|id)/.test(query);
      const tested = countTests(variantB.fields, rows, where);
      assert.ok(isTested ? tested < ROWS / 8 : tested === 0, `${tested} items are tested`);
    });
  }
});

it('the first items by a value that does not follow the ids are found without merging all items', () => {
  const table = new Table(variantB.fields);
  for (let i = 0; i < ROWS; i++) {
    // 7,919 is a prime number, so each time is another one.
    const createdAt = new Date(((i * 7_919) % ROWS) * 1000).toISOString().slice(0, -1);
    table.insert({ title: 'x', completed: false, priority: 1, createdAt });
  }
  for (const direction of ['asc', 'desc'] as const) {
    const orderBy = [{ column: 'createdAt', direction }] as const;
    const cursor = table.cursor([], { orderBy, limit: LIMIT });
    const { total } = workOf(() => cursor.next());
    const rowBytes = table.bytes;
    assert.ok(total < 2 * rowBytes, `${direction}: ${total} of ${rowBytes} bytes`);
  }
});
