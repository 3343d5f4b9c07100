import {
  type Condition,
  conditionOn,
  takes,
} from '../../../../../src/lib/table/condition/condition.ts';
import {
  OPERATORS,
  type Operator,
  type OperatorName,
  operatorsOf,
} from '../../../../../src/lib/table/condition/operators.ts';
import type { SearchOptions } from '../../../../../src/lib/table/query/search-options.ts';
import type { NewRow, Schema, Value } from '../../../../../src/lib/table/schema/column.ts';
import { Random } from '../../../../support/random.ts';

/** A column of every kind, with every index, with and without null. */
export const everything = {
  id: { kind: 'bigint', identity: { from: 1n as bigint, to: 2n ** 63n - 1n } },
  title: { kind: 'text', maxLength: 200 },
  description: { kind: 'text', nullable: true },
  label: { kind: 'text', nullable: true },
  plain: { kind: 'text', default: '' },
  priority: { kind: 'integer', default: 3 },
  score: { kind: 'integer', nullable: true },
  code: { kind: 'text', nullable: true },
  size: { kind: 'bigint', nullable: true },
  completed: { kind: 'boolean', default: false },
  flag: { kind: 'boolean', nullable: true },
  createdAt: { kind: 'timestamp', nullable: true },
  rating: { kind: 'number', nullable: true },
  dueAt: { kind: 'instant', nullable: true },
  tags: { kind: 'json', nullable: true },
} as const satisfies Schema;

export type Everything = typeof everything;

type Name = keyof Everything;

const TEXTS: [Name, ...Name[]] = ['title', 'description', 'label', 'plain', 'code'];
const NAMES = Object.keys(everything) as [Name, ...Name[]];
const ORDERED = NAMES.filter((name) => everything[name].kind !== 'json') as [Name, ...Name[]];

const FRAGMENTS = [
  ...['a', 'b', 'A', 'B', 'ab', 'abc', 'ABC', 'straße', 'STRASSE', 'ſ', 'İ', 'ı', 'οδος', 'ΟΔΟΣ'],
  ...['日本語', '日', '😀', '😁', '𐐀', '𐐨', '\ue000', '\uffee', 'é', 'e\u0301', 'É'],
  ...['%', '_', '\\', ' ', '-', '.', '*', 'urgent', 'Urgent', 'milk'],
] as [string, ...string[]];

/** The first and the last code points of characters for long texts. */
const SCRIPTS = [
  ...([0x20, 0x7e] as const),
  ...([0xc0, 0x24f] as const),
  ...([0x391, 0x3c9] as const),
  ...([0x4e00, 0x5fff] as const),
  ...([0x10400, 0x1044f] as const),
];

/** The number of long texts. Few enough that several rows contain a search term from one. */
const LONG_TEXTS = 40;
const LONG_LENGTH = 1000;

/** A text of 1,000 random characters of one script. */
function longText(number: number): string {
  const random = new Random(number);
  const script = 2 * (number % (SCRIPTS.length / 2));
  const [first = 0, last = 0] = SCRIPTS.slice(script);
  const points = Array.from({ length: LONG_LENGTH }, () => first + random.below(last - first + 1));
  return String.fromCodePoint(...points);
}

const orNull = <T>(random: Random, value: T): T | null => (random.chance(4) ? null : value);

/** Makes rows, conditions and options at random. */
export class Generator {
  readonly #random: Random;
  readonly #firstId: bigint;
  readonly #span: number;

  /** @param span the number of ids, from the first one on, that conditions use */
  constructor(random: Random, firstId = 1n, span = 400) {
    this.#random = random;
    this.#firstId = firstId;
    this.#span = span;
  }

  /** Returns an id that a row may have, or one just before or after. */
  id(): bigint {
    const id = this.#firstId + BigInt(this.#random.below(this.#span)) - 1n;
    return id > everything.id.identity.to ? everything.id.identity.to : id;
  }

  /** Makes values for every column except the identity. */
  values(): NewRow<Everything> {
    const random = this.#random;
    return {
      title: this.#text(),
      description: orNull(random, random.chance(20) ? this.#long() : this.#text(16)),
      label: orNull(random, this.#text(2)),
      plain: this.#text(3),
      priority: random.below(5),
      score: orNull(random, random.pick([0, -1, 2 ** 31 - 1, -(2 ** 31), 7])),
      code: orNull(random, this.#code()),
      size: orNull(random, this.#bigint()),
      completed: random.chance(2),
      flag: orNull(random, random.chance(2)),
      createdAt: orNull(random, this.#timestamp()),
      rating: orNull(random, this.#number()),
      dueAt: orNull(random, `${this.#timestamp()}Z`),
      tags: orNull(random, JSON.stringify(random.list(2, () => random.pick(FRAGMENTS)))),
    };
  }

  /** Makes a condition with groups nested up to a depth. */
  condition(depth: number): Condition {
    const random = this.#random;
    if (depth === 0 || random.chance(3)) return this.#leaf();
    const conditions = () => random.list(3, () => this.condition(depth - 1));
    return random.pick<() => Condition>([
      () => ({ op: 'and', conditions: conditions() }),
      () => ({ op: 'or', conditions: conditions() }),
      () => ({ op: 'not', condition: this.condition(depth - 1) }),
    ])();
  }

  /** Makes a search for one text in two columns. */
  search(): Condition {
    const value = this.#needle();
    const columns: readonly Name[] = ['title', 'description'];
    return {
      op: 'or',
      conditions: columns.map((column) => ({ op: 'containsIgnoreCase', column, value })),
    };
  }

  /** Makes an order, limit and offset. */
  options(): SearchOptions<Name> {
    const random = this.#random;
    const column = () => {
      const ignoreCase = random.chance(3);
      return { column: random.pick(ignoreCase ? TEXTS : ORDERED), ignoreCase };
    };
    const orderBy = random.list(2, () => ({
      ...column(),
      ...(random.chance(2) ? { direction: random.pick(['asc', 'desc'] as const) } : {}),
    }));
    return {
      orderBy,
      ...(random.chance(2) ? { limit: random.below(12) } : {}),
      ...(random.chance(3) ? { offset: random.below(random.pick([12, 300])) } : {}),
    };
  }

  #leaf(): Condition {
    const random = this.#random;
    const isMatch = random.chance(2);
    const column = random.pick(isMatch ? TEXTS : NAMES);
    const ops = operatorsOf(everything[column]);
    const [first = 'eq', ...others] = isMatch ? ops.filter((op) => takes(op, 'text')) : ops;
    const op = random.pick<OperatorName>([first, ...others]);
    return conditionOn(column, op, this.#operands(column, OPERATORS[op]));
  }

  #operands(name: Name, { takes }: Operator): readonly Value[] {
    switch (takes) {
      case 'nothing':
        return [];
      case 'value':
        return [this.#value(name)];
      case 'text':
        return [this.#needle()];
      case 'values':
        return this.#random.list(3, () => this.#value(name));
    }
  }

  #value(name: Name) {
    const random = this.#random;
    switch (everything[name].kind) {
      case 'integer':
        return random.pick([random.below(6), 7, -1]);
      case 'bigint':
        return name === 'id' ? this.id() : this.#bigint();
      case 'boolean':
        return random.chance(2);
      case 'timestamp':
        return this.#timestamp();
      case 'instant':
        return `${this.#timestamp()}Z`;
      case 'number':
        return this.#number();
      case 'json':
        throw new TypeError('arrays and objects are not compared');
      case 'text':
        return name === 'code' ? this.#code() : this.#text(3);
    }
  }

  #text(longest = 8): string {
    return this.#random.list(longest, () => this.#random.pick(FRAGMENTS)).join('');
  }

  #long(): string {
    return longText(this.#random.below(LONG_TEXTS));
  }

  #needle(): string {
    if (!this.#random.chance(4)) return this.#text(3);
    const points = [...this.#long()];
    const from = this.#random.below(points.length);
    const needle = points.slice(from, from + this.#random.below(12)).join('');
    return this.#random.chance(2) ? needle : needle.toUpperCase();
  }

  /** One of more values than a page has bitmaps for. */
  #code(): string {
    const random = this.#random;
    return random.pick(['b', 'B', '😀', '\uffee', '']) + random.below(random.chance(3) ? 40 : 3);
  }

  #timestamp(): string {
    const random = this.#random;
    return new Date(Date.UTC(2026, random.below(3), random.below(28))).toISOString().slice(0, -1);
  }

  /** A double: few, with neighbours that differ in the last bit, and the extremes. */
  #number(): number {
    const numbers = [0, -0, 0.1, 0.1 + 2 ** -56, 1, 1.5, -2, 1e-300, Number.MAX_VALUE, 2 ** 53];
    return this.#random.pick(numbers as [number, ...number[]]);
  }

  #bigint(): bigint {
    const random = this.#random;
    const large = 2n ** 53n + BigInt(random.below(3));
    return random.pick([0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), large]);
  }
}
