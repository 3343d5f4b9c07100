import fc from 'fast-check';
import type { Row, Schema } from '../../../../../src/lib/table/schema/column.ts';

export const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 2 ** 31 - 1 } },
  title: { kind: 'text', index: 'substring' },
  note: { kind: 'text', nullable: true, index: 'ordered' },
  priority: { kind: 'integer', index: 'ordered' },
} as const satisfies Schema;

export type Todo = Row<typeof schema>;
export type Values = Omit<Todo, 'id'>;

const WORDS = ['alpha', 'beta', 'gamma', 'Alphabet', 'ß', '日本語'] as const;

const values: fc.Arbitrary<Values> = fc.record({
  title: fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }).map((words) => words.join(' ')),
  note: fc.option(fc.constantFrom('a', 'b', 'c')),
  priority: fc.nat(4),
});

/** Selects one of the existing rows. */
const which = fc.nat(1000);

/** An operation on a table. */
export type Command =
  | { readonly do: 'insert'; readonly values: Values }
  | { readonly do: 'insertMany'; readonly values: Values; readonly count: number }
  | { readonly do: 'update'; readonly which: number; readonly values: Partial<Values> }
  | { readonly do: 'delete'; readonly which: number }
  | { readonly do: 'remove'; readonly word: string; readonly priority: number }
  | { readonly do: 'removeAll' }
  | {
      /** At once, or begun in steps, which `endBulkWrite` ends. */
      readonly do: 'modify' | 'modification';
      readonly word: string;
      readonly priority: number;
      readonly values: Partial<Values>;
    }
  | { readonly do: 'replace'; readonly with: readonly Values[]; readonly distance: number }
  | { readonly do: 'dryRun'; readonly commands: readonly Command[] }
  | { readonly do: 'replay'; readonly puts: readonly Put[]; readonly deletes: readonly number[] }
  | { readonly do: 'removal'; readonly word: string; readonly priority: number }
  | { readonly do: 'endBulkWrite'; readonly commits: boolean }
  | { readonly do: 'transaction'; readonly fails: boolean; readonly commands: readonly Command[] }
  | { readonly do: 'cursor'; readonly query: CursorQuery }
  | { readonly do: 'steps'; readonly count: number };

/** A row that another table wrote, among the existing rows or after them. */
export interface Put {
  readonly which: number;
  readonly values: Values;
}

/** The query of a cursor. */
export interface CursorQuery {
  readonly needle: string | undefined;
  readonly priority: number;
  readonly column: 'id' | 'note' | 'priority';
  readonly direction: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

const query: fc.Arbitrary<CursorQuery> = fc.record({
  needle: fc.option(fc.constantFrom('alph', 'ss'), { nil: undefined }),
  priority: fc.nat(4),
  column: fc.constantFrom('id', 'note', 'priority'),
  direction: fc.constantFrom('asc', 'desc'),
  offset: fc.nat(5),
  limit: fc.constantFrom(0, 3, 1000),
});

const word = fc.constantFrom('alph', 'LPHA', 'ss', '本語', 'a g');

const changes: fc.Arbitrary<Partial<Values>> = values.chain((all) =>
  fc.constantFrom(all, { note: all.note }, { title: all.title }, { priority: all.priority }, {}),
);

export const { command } = fc.letrec<{ command: Command }>((tie) => ({
  command: fc.oneof(
    { depthSize: 'small' },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('insert' as const), values }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('insertMany' as const),
        values,
        count: fc.integer({ min: 2, max: 90 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('update' as const), which, values: changes }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom('modify' as const, 'modification' as const),
        word,
        priority: fc.nat(4),
        values: changes,
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), which }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('remove' as const), word, priority: fc.nat(4) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('transaction' as const),
        fails: fc.boolean(),
        commands: fc.array(tie('command'), { maxLength: 6 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('replace' as const),
        with: fc.array(values, { maxLength: 80 }),
        distance: fc.constantFrom(1, 1, 3, 300, 5000),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('dryRun' as const),
        commands: fc.array(tie('command'), { maxLength: 6 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('replay' as const),
        puts: fc.array(fc.record({ which, values }), { maxLength: 4 }),
        deletes: fc.array(which, { maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('removal' as const), word, priority: fc.nat(4) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('endBulkWrite' as const), commits: fc.boolean() }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('cursor' as const), query }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('steps' as const), count: fc.nat(20) }),
    },
    { weight: 1, arbitrary: fc.constant<Command>({ do: 'removeAll' }) },
  ),
}));
