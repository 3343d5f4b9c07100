import { test } from 'node:test';
import type { Schema, Table } from '../../../../src/lib/table/index.ts';

const todoSchema = {
  id: { kind: 'bigint', identity: { from: 1n, to: 2n ** 63n - 1n } },
  title: { kind: 'text', maxLength: 200 },
  description: { kind: 'text', nullable: true },
  completed: { kind: 'boolean', default: false },
  priority: { kind: 'integer', default: 3 },
  createdAt: { kind: 'timestamp' },
} as const satisfies Schema;

/** Never called: it only has to compile. */
export function typed(todos: Table<typeof todoSchema>) {
  const row = todos.insert({ title: 'a', createdAt: '2026-11-20T09:30:00.123' });
  todos.search((t) => [
    // @ts-expect-error a boolean has no order
    t.completed.gte(true),
    // @ts-expect-error a number is not a text
    t.title.eq(1),
    // @ts-expect-error null cannot be compared with
    t.description.eq(null),
    // @ts-expect-error a title is never null
    t.title.isNull(),
    // @ts-expect-error no such column
    t.nothing.eq(1),
    // @ts-expect-error a number contains no text
    t.priority.contains('1'),
    // @ts-expect-error nor does a time
    t.createdAt.contains('1'),
  ]);
  // @ts-expect-error no condition
  todos.remove([]);
  // @ts-expect-error no condition
  todos.remove(() => []);
  // @ts-expect-error the title is missing
  todos.insert({ createdAt: '2026-11-20T09:30:00.123' });
  // @ts-expect-error the id is generated
  todos.insert({ id: 1n, title: 'a', createdAt: '2026-11-20T09:30:00.123' });
  // @ts-expect-error the id is generated
  todos.update(1n, { id: 2n });
  // @ts-expect-error a title is never null
  todos.update(1n, { title: null });
  // @ts-expect-error an id is an integer
  todos.find('1');
  // @ts-expect-error rows are read-only
  row.title = 'b';
  // @ts-expect-error no such column
  todos.search([], { orderBy: [{ column: 'nothing' }] });
  // @ts-expect-error a transaction is synchronous
  todos.transaction(async () => 3);
}

test('the types of the table are checked by the compiler', () => {});
