import fc from 'fast-check';
import type { Row, Schema } from '../../../../../src/lib/table/schema/column.ts';

export const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 2 ** 31 - 1 } },
  title: { kind: 'text' },
  note: { kind: 'text', nullable: true },
  priority: { kind: 'integer' },
  state: { kind: 'integer' },
} as const satisfies Schema;

export type Todo = Row<typeof schema>;
export type Values = Omit<Todo, 'id'>;

const WORDS = ['alpha', 'beta', 'gamma', 'Alphabet', 'ß', '日本語'] as const;

const values: fc.Arbitrary<Values> = fc.record({
  title: fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }).map((words) => words.join(' ')),
  note: fc.option(fc.constantFrom('a', 'b', 'c')),
  priority: fc.nat(4),
  // New values turn up all the time, and at last too many for bitmaps.
  state: fc.nat(99),
});

const changes: fc.Arbitrary<Partial<Values>> = values.chain((all) => {
  const { note, title, priority, state } = all;
  return fc.constantFrom(all, { note }, { title }, { priority }, { state }, {});
});

/** The distance of a new id from the last one. */
const distance = fc.constantFrom(1, 1, 1, 1, 3, 300, 5000);

/** Selects one of the existing rows. */
const which = fc.nat(1000);

/** The rows of a bulk write: rows with the word, at least the priority, and another state. */
const selection = {
  word: fc.constantFrom('alph', 'LPHA', 'ss', '本語', 'a g'),
  priority: fc.nat(4),
};

/** A row that another table wrote, among the existing rows or after them. */
const put = fc.record({ which, values });

const query = fc.record({
  needle: fc.option(fc.constantFrom('alph', 'ss'), { nil: undefined }),
  priority: fc.nat(4),
  column: fc.constantFrom('id', 'note', 'priority', 'state'),
  direction: fc.constantFrom('asc', 'desc'),
  offset: fc.nat(5),
  limit: fc.constantFrom(0, 3, 1000),
});

type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type Put = ValueOf<typeof put>;
export type CursorQuery = ValueOf<typeof query>;

/** Makes an operation on a table, with its weight among all. */
function operation<N extends string, M extends object>(
  weight: number,
  name: N,
  members: { [K in keyof M]: fc.Arbitrary<M[K]> },
) {
  const arbitrary = fc.record({ do: fc.constant(name), ...members });
  return { weight, arbitrary: arbitrary as unknown as fc.Arbitrary<{ readonly do: N } & M> };
}

const single = [
  operation(4, 'insert', { values, distance }),
  operation(3, 'insertMany', { values, distance, count: fc.integer({ min: 2, max: 90 }) }),
  operation(4, 'update', { which, values: changes }),
  operation(3, 'delete', { which }),
  operation(1, 'modify', { ...selection, values: changes }),
  operation(1, 'modification', { ...selection, values: changes }),
  operation(1, 'remove', selection),
  operation(1, 'removal', selection),
  operation(1, 'endBulkWrite', { commits: fc.boolean() }),
  operation(1, 'removeAll', {}),
  operation(1, 'replay', {
    puts: fc.array(put, { maxLength: 4 }),
    deletes: fc.array(which, { maxLength: 3 }),
  }),
  operation(4, 'cursor', { query }),
  operation(2, 'steps', { count: fc.nat(20) }),
] as const;

/** An operation on a table. */
export type Command =
  | ValueOf<(typeof single)[number]['arbitrary']>
  | { readonly do: 'fork'; readonly isKept: boolean; readonly commands: readonly Command[] }
  | { readonly do: 'transaction'; readonly fails: boolean; readonly commands: readonly Command[] };

export const { command } = fc.letrec<{ command: Command }>((tie) => {
  const commands = fc.array(tie('command'), { maxLength: 6 });
  return {
    command: fc.oneof(
      { depthSize: 'small' },
      ...single,
      operation(3, 'transaction', { fails: fc.boolean(), commands }),
      operation(1, 'fork', { isKept: fc.boolean(), commands }),
    ),
  };
});
