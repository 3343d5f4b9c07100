import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clock } from '../../../../src/lib/clock.ts';
import { localDateTime } from '../../../../src/service/resource/date-time.ts';
import type { Definition } from '../../../../src/service/resource/definition.ts';
import { assertProblem } from '../../../support/assertions.ts';
import { LONG, Random, SEED } from '../../../support/random.ts';
import type { Answer } from '../../../support/requests.ts';
import { startApp, VARIANTS } from '../../../support/service.ts';

/*
 * Compares the list over HTTP with a naive model, in random operations: reads with filters, search,
 * where, sort and pages; writes by condition; batches, and writes to single items. The model knows
 * nothing of the service: it looks at each item, in the words of docs/api.md.
 */

const OPERATIONS = LONG ? 5_000 : 300;
const MIN_ITEMS = 20;
const MAX_ITEMS = 60;

const WORDS = [
  ...(['', 'a', 'B', 'ab', 'AB', 'Straße', 'STRASSE', 'ΟΔΟΣ', 'οδος', ' ', '_'] as const),
  ...(['100%', '100', '%', '.', 'x_y', 'back\\slash', 'a,b', '東京', '😀', '\uffff'] as const),
  // Case folding, but no normalisation.
  ...(['İ', 'i\u0307', '𐐀', '𐐨', 'é', 'e\u0301'] as const),
] as const;

type Value = string | bigint | boolean | null;
type Item = Readonly<Record<string, Value>>;

/** In three-valued logic, null is unknown. */
type Truth = boolean | null;

/** A condition in the form of `where`. Its integers are bigints. */
type Where = { readonly [member: string]: unknown };

const isObject = (value: unknown): value is Where =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const all = (truths: readonly Truth[]): Truth =>
  truths.includes(false) ? false : truths.includes(null) ? null : true;
const negated = (truth: Truth): Truth => (truth === null ? null : !truth);
const any = (truths: readonly Truth[]): Truth => negated(all(truths.map(negated)));

function truthOf(where: unknown, item: Item): Truth {
  assert(isObject(where));
  const truths = Object.entries(where).map(([name, part]): Truth => {
    if (name === 'and') return all(listOf(part).map((each) => truthOf(each, item)));
    if (name === 'or') return any(listOf(part).map((each) => truthOf(each, item)));
    if (name === 'not') return negated(truthOf(part, item));
    const value = item[name] ?? null;
    if (part === null) return value === null;
    if (!isObject(part)) return compared(value, 'eq', part);
    return all(Object.entries(part).map(([op, operand]) => compared(value, op, operand)));
  });
  return all(truths);
}

function compared(value: Value, op: string, operand: unknown): Truth {
  switch (op) {
    case 'isNull':
      return (value === null) === operand;
    case 'isNotNull':
      return (value !== null) === operand;
    case 'in':
      return any(listOf(operand).map((each) => compared(value, 'eq', each)));
    case 'notIn':
      return negated(compared(value, 'in', operand));
  }
  if (value === null) return null;
  const sign = order(value, operand);
  switch (op) {
    case 'eq':
      return sign === 0;
    case 'ne':
      return sign !== 0;
    case 'gt':
      return sign > 0;
    case 'gte':
      return sign >= 0;
    case 'lt':
      return sign < 0;
    case 'lte':
      return sign <= 0;
  }
  const [text, part] = [String(value), String(operand)];
  switch (op) {
    case 'contains':
      return text.includes(part);
    case 'containsIgnoreCase':
      return folded(text).includes(folded(part));
    case 'startsWith':
      return text.startsWith(part);
    case 'endsWith':
      return text.endsWith(part);
    default:
      return assert.fail(op);
  }
}

/** The order of two values: of texts by code point, and null first. */
function order(a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  const [x, y] = [BigInt(Object(a)), BigInt(Object(b))];
  return x < y ? -1 : Number(x > y);
}

/** The full case folding of these words: of each character of the upper case. */
function folded(text: string): string {
  return [...text.toUpperCase()].map((character) => character.toLowerCase()).join('');
}

function sorted(items: readonly Item[], sort: string): readonly Item[] {
  const keys = sort === '' ? [] : sort.split(',');
  return items.toSorted((a, b) => {
    for (const key of [...keys, 'id']) {
      const [, minus, name = '', ignoreCase] = /^(-?)(\w+)(\.ignoreCase)?$/.exec(key) ?? [];
      const [x = null, y = null] = [a, b].map(({ [name]: value = null }) =>
        ignoreCase && typeof value === 'string' ? folded(value) : value,
      );
      const sign = order(x, y);
      if (sign !== 0) return minus ? -sign : sign;
    }
    return 0;
  });
}

/** Whether a write refuses a condition, because an operand was probably lost. */
function isLost(where: unknown, allowsBlankEquality: boolean): boolean {
  assert(isObject(where));
  const members = Object.entries(where);
  if (members.length === 0) return true;
  return members.some(([name, part]) => {
    if (name === 'not') return isLost(part, allowsBlankEquality);
    if (name === 'and' || name === 'or') {
      const parts = listOf(part);
      return parts.length === 0 || parts.some((each) => isLost(each, allowsBlankEquality));
    }
    const comparisons = isObject(part) ? part : { eq: part };
    return Object.entries(comparisons).some(([op, operand]) => {
      if (Array.isArray(operand) && operand.length === 0) return true;
      if (allowsBlankEquality && ['eq', 'ne'].includes(op)) return false;
      return [operand].flat().some((each) => typeof each === 'string' && each.trim() === '');
    });
  });
}

/** The pages around an offset: each is the `offset` and `limit` of its link. */
function pagesAround(offset: number, limit: number | undefined, total: number) {
  const pages: { offset: number; limit: number | undefined }[] = [];
  let start = offset;
  if (limit === undefined) {
    if (offset > 0) pages.push({ offset: 0, limit: offset });
    if (offset < total) pages.push({ offset, limit: undefined });
  } else {
    while (start > 0) start -= limit;
    for (; start < total; start += limit) {
      pages.push({ offset: Math.max(0, start), limit: limit + Math.min(0, start) });
    }
  }
  const at = pages.findIndex((page) => page.offset === offset);
  const first = { offset: 0, limit };
  const last = total === 0 ? first : pages.at(-1);
  const prev = total === 0 ? undefined : at === -1 ? last : pages[at - 1];
  return { first, prev, next: at === -1 ? undefined : pages[at + 1], last };
}

/** JSON with all digits of bigints. */
function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}:${jsonOf(each)}`)}}`;
}

/** The items of a response, with all digits of their integers. */
function itemsIn({ text }: Answer): Item[] {
  const inTexts = text.replaceAll(/"(id|priority)":(\d+)/g, '"$1":"$2"');
  const items: Record<string, string | boolean | null>[] = JSON.parse(`[${inTexts}]`).flat();
  // Later fields may follow (CONTRIBUTING.md: "A worked example: a field").
  return items.map(({ id, title, description, completed, priority, createdAt }) => ({
    ...{ id: BigInt(String(id)), title, description, completed },
    priority: BigInt(String(priority)),
    ...(createdAt !== undefined && { createdAt }),
  })) as Item[];
}

/** A query string, and the condition that it stands for. */
interface Query {
  readonly parameters: readonly string[];
  readonly where: Where;
  /** Whether a write refuses it, apart from `condition-required`. */
  readonly isLost: boolean;
  /** Whether two filters ask for different values of a field. */
  readonly isConflict: boolean;
}

/** Without conditions, most pages have others around them. */
const EVERYTHING: Query = { parameters: [], where: {}, isLost: false, isConflict: false };

const OPERATORS = {
  any: ['eq', 'ne', 'in', 'notIn'],
  ordered: ['gt', 'gte', 'lt', 'lte'],
  text: ['contains', 'containsIgnoreCase', 'startsWith', 'endsWith'],
  nullable: ['isNull', 'isNotNull'],
} as const;

/** Makes the random parts of operations. */
class Generator {
  readonly random: Random;
  readonly isB: boolean;
  readonly moments: Date[] = [new Date(Date.UTC(2026, 10, 25))];
  readonly ids: bigint[] = [1n];

  constructor(random: Random, variant: Definition) {
    this.random = random;
    this.isB = variant.fields.createdAt !== undefined;
  }

  pick<T>(choices: readonly T[]): T {
    const { [this.random.below(choices.length)]: choice } = choices;
    assert(choice !== undefined);
    return choice;
  }

  field(): string {
    const names = ['id', 'title', 'description', 'priority', 'completed'];
    return this.pick([...names, this.isB ? 'createdAt' : 'title']);
  }

  operator(field: string): string {
    const { any, ordered, text, nullable } = OPERATORS;
    return this.pick([
      ...any,
      ...(field === 'completed' ? [] : ordered),
      ...(field === 'title' || field === 'description' ? text : []),
      ...(field === 'description' && this.isB ? nullable : []),
    ]);
  }

  /** An operand: as it is sent, and its stored form. */
  operand(field: string, op: string): { readonly sent: Value; readonly stored: Value } {
    const same = (value: Value) => ({ sent: value, stored: value });
    const { random } = this;
    if (op === 'isNull' || op === 'isNotNull') return same(random.chance(2));
    switch (field) {
      case 'id':
        return same(this.pick(this.ids) + BigInt(random.below(3)) - 1n);
      case 'priority':
        return same(BigInt(random.below(7)));
      case 'completed':
        return same(random.chance(2));
      case 'createdAt':
        return this.moment(op);
      default:
        return same(this.pick(WORDS) + (random.chance(4) ? this.pick(WORDS) : ''));
    }
  }

  /** A date-time as clients write it: shortened, with more digits, or with an offset. */
  moment(op: string): { readonly sent: string; readonly stored: string } {
    const { random } = this;
    const date = this.pick(this.moments);
    const local = localDateTime(date) ?? assert.fail('the year has four digits');
    const lengths = op === 'gte' || op === 'lt' ? [10, 16, 19, 21, 23] : [16, 19, 21, 23];
    const length = this.pick(lengths);
    const stored = local.slice(0, length) + '0000-00-00T00:00:00.000'.slice(length);
    const more = length === 23 ? this.pick(['', '0', '4', '9999999999']) : '';
    // The offset of a zone in whole minutes.
    const offset = -date.getTimezoneOffset() + random.below(1_200) - 600;
    if (length === 10 || random.chance(2) || Math.abs(offset) > 1_400) {
      return { sent: local.slice(0, length) + more, stored };
    }
    const shown = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, length);
    const two = (part: number) => String(part).padStart(2, '0');
    const zone = `${two(Math.trunc(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
    return { sent: `${shown}${more}${offset < 0 ? '-' : '+'}${zone}`, stored };
  }

  /** A comparison as JSON: as it is sent, and with stored operands. */
  comparison(): { name: string; op: string; sent: unknown; stored: unknown } {
    const name = this.field();
    const op = this.operator(name);
    const isList = op === 'in' || op === 'notIn';
    if (!isList) return { name, op, ...this.operand(name, op) };
    const operands = this.random.list(3, () => this.operand(name, op));
    const [sent, stored] = [operands.map((each) => each.sent), operands.map((each) => each.stored)];
    return { name, op, sent, stored };
  }

  /** A tree of conditions: as it is sent, and with stored operands. */
  tree(depth: number): { readonly sent: Where; readonly stored: Where } {
    const { random } = this;
    if (depth === 0 || random.chance(3)) {
      const { name, op, sent, stored } = this.comparison();
      if (name === 'description' && this.isB && random.chance(6)) {
        return { sent: { [name]: null }, stored: { [name]: null } };
      }
      const wrap = (operand: unknown) =>
        op === 'eq' && random.chance(2) ? { [name]: operand } : { [name]: { [op]: operand } };
      return { sent: wrap(sent), stored: { [name]: { [op]: stored } } };
    }
    if (random.chance(3)) {
      const { sent, stored } = this.tree(depth - 1);
      return { sent: { not: sent }, stored: { not: stored } };
    }
    const op = this.pick(['and', 'or']);
    const parts = random.list(3, () => this.tree(depth - 1));
    if (random.chance(12)) parts.push({ sent: {}, stored: {} });
    return {
      sent: { [op]: parts.map(({ sent }) => sent) },
      stored: { [op]: parts.map(({ stored }) => stored) },
    };
  }

  query(): Query {
    const { random } = this;
    const parameters: string[] = [];
    const conditions: Where[] = [];
    let hasLost = false;
    let isConflict = false;
    const equal = new Map<string, unknown>();
    const add = (name: string, text: string) => {
      parameters.push(`${name}=${encodeURIComponent(text)}`);
    };
    for (const { name, op, sent, stored } of random.list(2, () => this.comparison())) {
      const values = [sent].flat();
      // A filter has at least one value, and repeated lists would be one.
      if (values.length === 0 || parameters.some((each) => each.startsWith(`${name}.${op}=`)))
        continue;
      const isJoined = ['id', 'priority', 'completed', 'createdAt'].includes(name);
      const parameter = op === 'eq' && random.chance(2) ? name : `${name}.${op}`;
      if (isJoined && random.chance(2)) add(parameter, values.join());
      else for (const value of values) add(parameter, String(value));
      conditions.push({ [name]: { [op]: stored } });
      hasLost ||= isLost({ [name]: { [op]: stored } }, false);
      if (op === 'eq') {
        isConflict ||= equal.has(name) && equal.get(name) !== stored;
        equal.set(name, stored);
      }
    }
    if (random.chance(4)) {
      const search = this.pick(WORDS);
      add('search', search);
      const holds = ['title', 'description'].map((name) => ({
        [name]: { containsIgnoreCase: search },
      }));
      if (search.trim() === '') hasLost = true;
      else conditions.push({ or: holds });
    }
    for (const { sent, stored } of random.list(2, () => this.tree(3))) {
      add('where', jsonOf(sent));
      conditions.push(stored);
      hasLost ||= isLost(stored, true);
    }
    return { parameters, where: { and: conditions }, isLost: hasLost, isConflict };
  }

  sort(): string {
    const keys = this.random.list(3, () => {
      const name = this.field();
      const isText = name === 'title' || name === 'description';
      return `${this.pick(['', '-'])}${name}${isText ? this.pick(['', '.ignoreCase']) : ''}`;
    });
    return keys.join();
  }

  values(): Where {
    const { random } = this;
    const isNull = this.isB && random.chance(3);
    return {
      title: `${this.pick(WORDS)}${this.pick(WORDS)}.`,
      description: isNull ? null : this.pick(WORDS),
      priority: BigInt(1 + random.below(5)),
    };
  }

  change(): Where {
    const entries = Object.entries({ ...this.values(), completed: this.random.chance(2) });
    return Object.fromEntries(entries.filter(() => this.random.chance(2)));
  }
}

for (const variant of VARIANTS) {
  const { name, fields, api } = variant;
  const isB = fields.createdAt !== undefined;
  /** The ids of variant B cross 2^53, where numbers are no longer exact. */
  const lastSeedId = isB ? 2n ** 53n - 20n : 0n;

  describe(`the list, variant ${name.toUpperCase()}`, () => {
    it(`is the same as in a naive model, in ${OPERATIONS} operations (seed ${SEED})`, async (test) => {
      const random = new Random(SEED);
      const generator = new Generator(random, variant);
      const seed = isB ? [{ id: lastSeedId, title: '' }] : [];
      const { client } = await startApp(test, variant, { seed, table: { maxRows: 1_000 } });
      if (isB) await client.delete(`${api.collection}/${lastSeedId}`);
      let nextId = lastSeedId + 1n;
      // Items are made over some days.
      test.mock.method(clock, 'time', () => {
        const moment = new Date(Date.UTC(2026, 10, 24) + random.below(3 * 86_400_000));
        generator.moments.push(moment);
        return moment.getTime();
      });
      let items: readonly Item[] = [];
      const send = (method: string, path: string, body: unknown) =>
        client.request(method, path, {
          headers: { 'content-type': 'application/json' },
          body: jsonOf(body),
        });
      const found = ({ where }: Query) => items.filter((item) => truthOf(where, item) === true);

      async function create(): Promise<void> {
        const bodies = [generator.values(), ...random.list(4, () => generator.values())];
        const isBatch = bodies.length > 1 || random.chance(2);
        const before = generator.moments.length;
        const answer = isBatch
          ? await send('POST', `${api.collection}/batch`, bodies)
          : await send('POST', api.collection, bodies[0]);
        assert.equal(answer.status, 201, answer.text);
        const created = itemsIn(answer);
        const times = new Set(generator.moments.slice(before).map(localDateTime));
        for (const [i, item] of created.entries()) {
          const { createdAt, ...rest } = item;
          assert.deepEqual(rest, { id: nextId, ...bodies[i], completed: false });
          assert.equal(createdAt === undefined, !isB);
          if (isB) assert(times.has(String(createdAt)), `${createdAt} is a time of its request`);
          generator.ids.push(nextId++);
        }
        items = [...items, ...created];
      }

      async function read(query: Query, what: string): Promise<void> {
        const sort = generator.sort();
        const limit = random.chance(2) ? random.below(12) : undefined;
        const offset = random.chance(2) ? random.below(40) : undefined;
        const kept = [...query.parameters, ...(sort === '' ? [] : [`sort=${sort}`])];
        const paging = { limit, offset };
        const pairs = Object.entries(paging).flatMap(([name, value]) =>
          value === undefined ? [] : [`${name}=${value}`],
        );
        const answer = await client.get(`${api.collection}?${[...kept, ...pairs].join('&')}`);
        if (query.isConflict) {
          const { errors } = assertProblem(answer, 400, 'invalid-parameter');
          assert.deepEqual(
            errors?.map(({ code }) => code),
            ['conflict'],
            what,
          );
          return;
        }
        assert.equal(answer.status, 200, `${what}: ${answer.text}`);
        const matches = sorted(found(query), sort);
        const start = offset ?? 0;
        const end = limit === undefined ? undefined : start + limit;
        assert.deepEqual(itemsIn(answer), matches.slice(start, end), what);
        assert.equal(answer.headers['x-total-count'], String(matches.length), what);
        if (pairs.length === 0 || limit === 0) return assert.equal(answer.headers.link, undefined);
        const expected = Object.entries(pagesAround(start, limit, matches.length)).flatMap(
          ([relation, page]) => {
            if (page === undefined) return [];
            const part = page.limit === undefined ? [] : [`limit=${page.limit}`];
            const parts = [...kept, ...part, `offset=${page.offset}`].join('&');
            return [`<?${parts.replaceAll(',', '%2C')}>; rel="${relation}"`];
          },
        );
        const link = expected.join(', ');
        assert.equal(answer.headers.link, link.length > 3 * 1024 ? undefined : link, what);
      }

      async function writeMatching(query: Query, what: string): Promise<void> {
        const target = `${api.collection}?${query.parameters.join('&')}`;
        const change = random.chance(3) ? undefined : generator.change();
        const answer = await (change === undefined
          ? client.delete(target)
          : send('PATCH', target, change));
        if (query.parameters.length === 0) {
          assertProblem(answer, 400, 'condition-required');
          return;
        }
        if (query.isLost || query.isConflict) {
          assertProblem(answer, 400, 'invalid-parameter');
          return;
        }
        const matching = new Set(found(query));
        const member = change === undefined ? 'deleted' : 'updated';
        assert.equal(answer.text, `{"${member}":${matching.size}}`, what);
        items = items.flatMap((item) => {
          if (!matching.has(item)) return [item];
          return change === undefined ? [] : [{ ...item, ...change } as Item];
        });
      }

      async function writeOne(): Promise<void> {
        const id = generator.pick(generator.ids);
        const item = items.find((each) => each.id === id);
        const path = `${api.collection}/${id}`;
        if (random.chance(4)) {
          assert.equal((await client.delete(path)).status, 204);
          items = items.filter((each) => each !== item);
          return;
        }
        const method = generator.pick(['PUT', 'PATCH']);
        const change = generator.change();
        const answer = await send(method, path, change);
        if (item === undefined) {
          assertProblem(answer, 404, 'not-found');
          return;
        }
        // PUT takes null for absent.
        const kept = Object.entries(change).filter(
          ([, each]) => method === 'PATCH' || each !== null,
        );
        const changed = { ...item, ...Object.fromEntries(kept) } as Item;
        assert.deepEqual(itemsIn(answer), [changed]);
        items = items.map((each) => (each === item ? changed : each));
      }

      for (let i = 0; i < OPERATIONS; i++) {
        const query = generator.query();
        const what = `operation ${i}, seed ${SEED}: ${query.parameters.join('&')}`;
        const isShort = items.length < MIN_ITEMS;
        const step = isShort ? 0 : random.below(items.length < MAX_ITEMS ? 9 : 8);
        if (isShort || step === 8) await create();
        else if (step < 4) await read(random.chance(3) ? EVERYTHING : query, what);
        else if (step < 6) await writeMatching(query, what);
        else await writeOne();
        if (i % 10 === 0) {
          assert.deepEqual(itemsIn(await client.get(api.collection)), items, `after ${what}`);
        }
      }
    });
  });
}
