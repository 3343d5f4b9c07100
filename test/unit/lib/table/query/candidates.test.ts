import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { and, type Condition, not, or } from '../../../../../src/lib/table/condition/condition.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { Random, SEED } from '../support/random.ts';
import { found } from '../support/reference.ts';
import { assertSame } from '../support/rows.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 99_999 } },
  title: { kind: 'text', index: 'substring' },
  description: { kind: 'text', nullable: true, index: 'substring' },
  done: { kind: 'boolean', index: 'bitmap' },
} as const satisfies Schema;

const ROWS = 1000;
const QUERIES = 300;
const QUERIES_PER_WRITE = 20;
const random = new Random(SEED);

/** One of some hundred words, in either case. */
function word(): string {
  const number = random.below(12) * random.below(12);
  return random.pick([`word${number}`, `Word${number}`, `überWort${number}`]);
}

function values() {
  const words = () => random.list(3, word).join(random.pick([' ', ', ', '-']));
  return { title: words(), description: random.chance(5) ? null : words(), done: random.chance(2) };
}

function condition(depth: number): Condition {
  const nested = () => [condition(depth - 1), condition(depth - 1)] as const;
  if (depth > 0) {
    const make = random.pick([() => or(...nested()), () => and(...nested()), () => not(leaf())]);
    if (!random.chance(3)) return make();
  }
  return leaf();
}

function leaf(): Condition {
  if (random.chance(6)) return { op: 'eq', column: 'done', value: random.chance(2) };
  if (random.chance(12)) return { op: 'eq', column: 'id', value: random.below(ROWS) };
  const text = random.chance(4) ? `${word()} ${word()}` : word();
  const from = random.below(4);
  const value = text.slice(from, from + 3 + random.below(10));
  const op = random.pick<'containsIgnoreCase' | 'contains' | 'startsWith'>([
    'containsIgnoreCase',
    'containsIgnoreCase',
    'contains',
    'startsWith',
  ]);
  return { op, column: random.pick(['title', 'description']), value };
}

test(`only candidates that match are found (seed ${SEED})`, () => {
  const table = new Table(schema);
  for (let i = 0; i < ROWS; i++) table.insert(values());
  let [candidates, matches] = [0, 0];
  for (let i = 0; i < QUERIES; i++) {
    if (i > QUERIES / 2 && i % QUERIES_PER_WRITE === 0) {
      for (let n = random.below(100); n > 0; n--) table.update(1 + random.below(ROWS), values());
      for (let n = random.below(10); n > 0; n--) table.insert(values());
    }
    const where = [condition(2)];
    const limit = random.chance(4) ? random.below(20) : Number.POSITIVE_INFINITY;
    const all = found(table.search(), where);
    assertSame(table.search(where, { limit }), all.slice(0, limit), inspect(where, { depth: 9 }));
    const tested = table.countTests(where);
    if (tested > 0 && tested < table.size) {
      candidates += tested;
      matches += all.length;
    }
  }
  // Some false candidates, but not many, or there would be nothing to test here, or no use in it.
  assert.ok(candidates > matches && candidates < 3 * matches, `${candidates} for ${matches}`);
});
