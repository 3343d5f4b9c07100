import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition } from '../../../../src/lib/table/condition/condition.ts';
import { WORK_PER_CLOCK_READ } from '../../../../src/lib/table/query/pace.ts';
import type { SearchOptions } from '../../../../src/lib/table/query/search-options.ts';
import { CHUNK_SLOTS } from '../../../../src/lib/table/state/mask.ts';
import { Table } from '../../../../src/lib/table/table.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import { countTests } from '../../lib/table/support/tables.ts';

const ROWS = 5000;
const LIMIT = 20;
const TIME = '2026-11-20T09:30:00.123';

describe('the first items of a list are found without a look at most items', () => {
  let now = 0;
  // By this clock, each step is over at once.
  const table = new Table(variantB.fields, { clock: () => ++now });
  for (let i = 0; i < ROWS; i++) {
    table.insert({
      title: `item ${i}`,
      completed: i % 100 !== 0,
      priority: 1 + (i % 5),
      createdAt: new Date(i * 1000).toISOString().slice(0, -1),
    });
  }
  const on = (
    op: 'eq' | 'gte' | 'containsIgnoreCase',
    column: string,
    value: string | number | bigint | boolean,
  ) => ({ op, column, value }) as Condition;
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
    'search=ITEM 47': [[on('containsIgnoreCase', 'title', 'ITEM 47')], {}],
    'search=nowhere': [[on('containsIgnoreCase', 'title', 'nowhere')], {}],
  };

  for (const [query, [where, options]] of Object.entries(wanted)) {
    it(`for ?${query}&limit=${LIMIT}`, () => {
      // The first search for a text adds all texts to the signatures.
      table.search(where, { limit: LIMIT });
      const cursor = table.cursor(where, { ...options, limit: LIMIT });
      let steps = 0;
      while (!cursor.next().done) steps++;
      // An order reads the clock after each chunk. A look at one row in eight would take the others.
      const most = (2 * ROWS) / CHUNK_SLOTS + ROWS / 8 / WORK_PER_CLOCK_READ;
      assert.ok(steps <= most, `${steps} steps`);
      const isTested = /^(?:search|createdAt|id)/.test(query);
      const tested = countTests(table, where);
      assert.ok(isTested ? tested < ROWS / 8 : tested === 0, `${tested} items are tested`);
    });
  }
});

it('the first items by a value that does not follow the ids are found without merging all items', () => {
  let now = 0;
  const table = new Table(variantB.fields, { clock: () => ++now });
  for (let i = 0; i < ROWS; i++) {
    // 7,919 is a prime number, so each time is another one.
    const createdAt = new Date(((i * 7_919) % ROWS) * 1000).toISOString().slice(0, -1);
    table.insert({ title: 'x', completed: false, priority: 1, createdAt });
  }
  for (const direction of ['asc', 'desc'] as const) {
    const cursor = table.cursor([], {
      orderBy: [{ column: 'createdAt', direction }],
      limit: LIMIT,
    });
    let steps = 0;
    while (!cursor.next().done) steps++;
    // Finding, grouping and collecting read the clock in each chunk. A merge does so again and again.
    assert(steps < (5 * ROWS) / CHUNK_SLOTS, `${direction}: ${steps} steps`);
  }
});

it('the first search by a column derives the values of one chunk in a step', () => {
  let now = 0;
  const table = new Table(variantB.fields, { clock: () => ++now });
  for (let i = 0; i < ROWS; i++) {
    table.insert({ title: 'x', completed: false, priority: 1 + (i % 5), createdAt: TIME });
  }
  const stepsOf = () => {
    const cursor = table.cursor([{ op: 'gte', column: 'priority', value: 4 }], { limit: LIMIT });
    let steps = 0;
    while (!cursor.next().done) steps++;
    return steps;
  };
  const chunks = ROWS / CHUNK_SLOTS;
  const [first, second] = [stepsOf(), stepsOf()];
  assert(first >= chunks, `${first} steps for ${chunks} chunks`);
  assert(second < chunks, `${second} steps, although the chunks keep the values`);
});
