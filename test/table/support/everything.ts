import type { Condition } from '../../../src/table/condition/condition.ts';
import type { SearchOptions } from '../../../src/table/query/search-options.ts';
import type { Schema } from '../../../src/table/schema/column.ts';
import type { Random } from './random.ts';

/** A column of every kind, with every index, with and without null. */
export const everything = {
  id: { kind: 'bigint', identity: { from: 1n, to: 2n ** 63n - 1n } },
  title: { kind: 'text', maxLength: 200, index: 'substring' },
  description: { kind: 'text', nullable: true, index: 'substring' },
  label: { kind: 'text', nullable: true, index: 'ordered' },
  plain: { kind: 'text', default: '' },
  priority: { kind: 'integer', default: 3, index: 'ordered' },
  score: { kind: 'integer', nullable: true, index: 'bitmap' },
  size: { kind: 'bigint', nullable: true, index: 'ordered' },
  completed: { kind: 'boolean', default: false, index: 'bitmap' },
  flag: { kind: 'boolean', nullable: true },
  createdAt: { kind: 'timestamp', nullable: true, index: 'ordered' },
} as const satisfies Schema;

export type Everything = typeof everything;

const FRAGMENTS = [
  ...['a', 'b', 'A', 'B', 'ab', 'abc', 'ABC', 'straße', 'STRASSE', 'ſ', 'İ', 'ı', 'οδος', 'ΟΔΟΣ'],
  ...['日本語', '日', '😀', '😁', '𐐀', '𐐨', '\ue000', '\uffee', 'é', 'e\u0301', 'É'],
  ...['%', '_', '\\', ' ', '-', '.', '*', 'urgent', 'Urgent', 'milk'],
] as [string, ...string[]];

export function randomText(random: Random, longest = 8): string {
  return random.list(longest, () => random.pick(FRAGMENTS)).join('');
}

function randomTimestamp(random: Random): string {
  return new Date(Date.UTC(2026, random.below(3), random.below(28))).toISOString().slice(0, -1);
}

function randomBigint(random: Random): bigint {
  return random.pick([
    0n,
    1n,
    -1n,
    2n ** 63n - 1n,
    -(2n ** 63n),
    2n ** 53n + BigInt(random.below(3)),
  ]);
}

const orNull = <T>(random: Random, value: T): T | null => (random.chance(4) ? null : value);

/** Values for every column except the identity. */
export function randomValues(random: Random) {
  return {
    title: randomText(random),
    description: orNull(random, randomText(random, 16)),
    label: orNull(random, randomText(random, 2)),
    plain: randomText(random, 3),
    priority: random.below(5),
    score: orNull(random, random.pick([0, -1, 2 ** 31 - 1, -(2 ** 31), 7])),
    size: orNull(random, randomBigint(random)),
    completed: random.chance(2),
    flag: orNull(random, random.chance(2)),
    createdAt: orNull(random, randomTimestamp(random)),
  };
}

type Name = keyof Everything;

function randomValue(random: Random, name: Name) {
  switch (everything[name].kind) {
    case 'integer':
      return random.pick([random.below(6), 7, -1]);
    case 'bigint':
      return name === 'id' ? BigInt(random.below(400)) : randomBigint(random);
    case 'boolean':
      return random.chance(2);
    case 'timestamp':
      return randomTimestamp(random);
    case 'text':
      return randomText(random, 3);
  }
}

const NAMES = Object.keys(everything) as [Name, ...Name[]];
const TEXTS: [Name, ...Name[]] = ['title', 'description', 'label', 'plain'];
const ORDERED = NAMES.filter((name) => everything[name].kind !== 'boolean') as [Name, ...Name[]];
const NULLABLE: [Name, ...Name[]] = ['description', 'label', 'score', 'size', 'flag', 'createdAt'];

/** A condition with groups nested up to a depth. */
export function randomCondition(random: Random, depth: number): Condition {
  if (depth === 0 || random.chance(3)) return randomLeaf(random);
  const conditions = () => random.list(3, () => randomCondition(random, depth - 1));
  return random.pick<() => Condition>([
    () => ({ op: 'and', conditions: conditions() }),
    () => ({ op: 'or', conditions: conditions() }),
    () => ({ op: 'not', condition: randomCondition(random, depth - 1) }),
  ])();
}

function randomLeaf(random: Random): Condition {
  const any = random.pick(NAMES);
  const ordered = random.pick(ORDERED);
  const text = random.pick(TEXTS);
  const value = (name: Name) => randomValue(random, name);
  return random.pick<() => Condition>([
    () => ({ op: random.pick(['eq', 'ne']), column: any, value: value(any) }),
    () => ({
      op: random.pick(['in', 'notIn']),
      column: any,
      values: random.list(3, () => value(any)),
    }),
    () => ({ op: random.pick(['isNull', 'isNotNull']), column: random.pick(NULLABLE) }),
    () => ({ op: random.pick(['gt', 'gte', 'lt', 'lte']), column: ordered, value: value(ordered) }),
    () => ({ op: 'between', column: ordered, from: value(ordered), to: value(ordered) }),
    () => ({
      op: random.pick(['contains', 'containsIgnoreCase', 'startsWith', 'endsWith']),
      column: text,
      value: randomText(random, 3),
    }),
    () => ({ op: 'contains', column: text, value: randomText(random, 2) }),
    () => ({ op: 'containsIgnoreCase', column: text, value: randomText(random, 2) }),
    () => ({ op: 'like', column: text, value: randomPattern(random) }),
  ])();
}

/** A disjunction of conditions, each true for few rows and served by a different index. */
export function randomAlternatives(random: Random): Condition {
  const names: readonly Name[] = ['id', 'createdAt', 'size', 'label'];
  const conditions = names.map((column): Condition => {
    return { op: 'eq', column, value: randomValue(random, column) };
  });
  return { op: 'or', conditions: conditions.slice(random.below(3)) };
}

function randomPattern(random: Random): string {
  const part = () =>
    random.pick<() => string>([
      () => '%',
      () => '_',
      () => random.pick(['\\%', '\\_', '\\\\', '\\a']),
      () => randomText(random, 2).replaceAll('\\', '\\\\'),
    ])();
  return random.list(5, part).join('');
}

/** A random order, limit and offset. */
export function randomOptions(random: Random): SearchOptions<Name> {
  const orderBy = random.list(2, () => ({
    column: random.pick(NAMES),
    ...(random.chance(2) ? { direction: random.pick(['asc', 'desc'] as const) } : {}),
    ...(random.chance(2) ? { nulls: random.pick(['first', 'last'] as const) } : {}),
  }));
  return {
    orderBy,
    ...(random.chance(2) ? { limit: random.below(12) } : {}),
    ...(random.chance(3) ? { offset: random.below(12) } : {}),
  };
}
