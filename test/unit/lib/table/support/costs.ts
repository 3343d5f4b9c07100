import type { Condition } from '../../../../../src/lib/table/condition/condition.ts';
import { compile } from '../../../../../src/lib/table/query/criteria.ts';
import { findMatches } from '../../../../../src/lib/table/query/matches.ts';
import { Pace } from '../../../../../src/lib/table/query/pace.ts';
import type { Schema, StoredRow } from '../../../../../src/lib/table/schema/column.ts';
import { integerIn } from '../../../../../src/lib/table/schema/integer.ts';
import {
  type ResolvedSchema,
  resolveSchema,
} from '../../../../../src/lib/table/schema/resolved-schema.ts';
import { type Entry, entryOf } from '../../../../../src/lib/table/state/entry.ts';
import { emptyState, type State, stateWith } from '../../../../../src/lib/table/state/state.ts';

/** The states of the same rows, because many conditions are tested with them. */
const states = new WeakMap<readonly StoredRow[], State>();

function stateOf(schema: ResolvedSchema, rows: readonly StoredRow[]): State {
  let state = emptyState(schema);
  for (const row of rows) {
    const id = integerIn(row[schema.identity.column]) ?? 0;
    const write = { before: undefined, after: entryOf(schema, id, row, 0) };
    state = stateWith(state, id, write);
  }
  return state;
}

/** Counts the rows that a search tests one by one. */
export function countTests(
  columns: Schema,
  rows: readonly StoredRow[],
  where: readonly Condition[],
): number {
  const schema = resolveSchema(columns);
  const state = states.get(rows) ?? stateOf(schema, rows);
  states.set(rows, state);
  const tested = new Set<Entry>();
  const criteria = compile(schema, where).map((criterion) => ({
    ...criterion,
    test: (entry: Entry) => {
      tested.add(entry);
      return criterion.test(entry);
    },
  }));
  for (const _ of findMatches(state.chunks, criteria, new Pace(() => 0)));
  return tested.size;
}

/** The work of steps, in bytes of rows as the pace counts them. */
export interface Work {
  readonly total: number;
  readonly longest: number;
}

/** Runs steps to their end, and measures their work. A step is over when the clock is read. */
export function workOf(step: () => { readonly done?: boolean | undefined }): Work {
  const { spend } = Pace.prototype;
  let [total, longest, inStep] = [0, 0, 0];
  Pace.prototype.spend = function (bytes) {
    inStep += bytes;
    return spend.call(this, bytes);
  };
  try {
    for (let isDone: boolean | undefined = false; !isDone; inStep = 0) {
      isDone = step().done;
      total += inStep;
      longest = Math.max(longest, inStep);
    }
  } finally {
    Pace.prototype.spend = spend;
  }
  return { total, longest };
}

/** Counts the characters that comparisons, searches and foldings examine, at most. */
export function charactersOf(work: () => void): number {
  const { charCodeAt, includes, toLowerCase } = String.prototype;
  let examined = 0;
  Object.assign(String.prototype, {
    charCodeAt(this: string, index: number) {
      examined++;
      return charCodeAt.call(this, index);
    },
    includes(this: string, term: string) {
      examined += this.length;
      return includes.call(this, term);
    },
    toLowerCase(this: string) {
      examined += this.length;
      return toLowerCase.call(this);
    },
  });
  try {
    work();
  } finally {
    Object.assign(String.prototype, { charCodeAt, includes, toLowerCase });
  }
  return examined;
}
