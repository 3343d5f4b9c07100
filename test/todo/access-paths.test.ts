import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition } from '../../src/table/condition/condition.ts';
import type { SearchOptions } from '../../src/table/query/search-options.ts';
import { Table } from '../../src/table/table.ts';
import { variantB } from '../../src/todo/variant-b.ts';

const ROWS = 5000;

describe('a page of the list needs no full scan', () => {
  const table = new Table(variantB.fields, { schedule: () => {} });
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
  };

  for (const [query, [where, options]] of Object.entries(wanted)) {
    it(`for ?${query}&limit=20`, () => {
      const { access, order, candidates } = table.explain(where, { ...options, limit: 20 });
      assert.notEqual(access, 'full scan');
      assert.notEqual(order, 'sorted');
      assert.ok(candidates < ROWS / 2, `${candidates} candidates`);
    });
  }
});
