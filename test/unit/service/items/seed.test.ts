import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJson, parseJsonBytes } from '../../../../src/lib/json/index.ts';
import { readSeed } from '../../../../src/service/items/seed.ts';
import type { Definition } from '../../../../src/service/resource/definition.ts';
import { rulesOf } from '../../../../src/service/resource/definition.ts';
import { InvalidInputError } from '../../../../src/service/resource/validation.ts';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';

const inJson = (text: string, variant: Definition = variantB) =>
  inProgram(parseJsonBytes(Buffer.from(text), isJson), variant);
const inProgram = (value: unknown, variant: Definition = variantB, isStrict = true) =>
  readSeed(value, rulesOf(variant, isStrict), 'the seed is invalid');

function violationsOf(read: () => unknown): (readonly [pointer: string, detail: string])[] {
  try {
    read();
  } catch (error) {
    assert(error instanceof InvalidInputError, String(error));
    return error.violations.map(({ pointer, detail }) => [pointer, detail] as const);
  }
  return [];
}

const pointersOf = (read: () => unknown) => violationsOf(read).map(([pointer]) => pointer);

describe('the ids of a seed', () => {
  it('are kept; an item without an id gets the one after the largest id before it', () => {
    const ids = (text: string) => inJson(text).map(({ id }) => id);
    const item = (id?: number | string) => `{"title":"x"${id === undefined ? '' : `,"id":${id}`}}`;
    assert.deepEqual(ids(`[${item()},${item()}]`), [1, 2]);
    assert.deepEqual(ids(`[${item()},${item(7)},${item()},${item(3)},${item()}]`), [
      ...[1, 7, 8, 3, 9],
    ]);
    assert.deepEqual(ids(`[${item('30e-1')}]`), [3]);
    assert.deepEqual(ids(`[${item('9007199254740991')},${item()},${item()}]`), [
      ...[2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n],
    ]);
  });

  it('are taken from programs as numbers or bigints, unless a number may be rounded', () => {
    const ids = (...given: unknown[]) =>
      inProgram(given.map((id) => ({ title: 'x', id }))).map(({ id }) => id);
    assert.deepEqual(ids(5n, 6, 2n ** 53n - 1n, 2n ** 53n), [5, 6, 2 ** 53 - 1, 2n ** 53n]);
    assert.deepEqual(
      violationsOf(() => ids(1, 1n, 2 ** 53)),
      [
        ['#/1/id', 'is 1, the id of another item'],
        ['#/2/id', 'must be an integer; send a bigint, because this number may be rounded'],
      ],
    );
    assert.deepEqual(inProgram([{ title: 'x', id: 5n }], variantA)[0]?.id, 5);
  });

  it('are violations if they are taken, null, no integer or out of range', () => {
    const pointers = pointersOf(() =>
      inJson(
        `[{"title":"x"},{"title":"x","id":1},{"title":"x","id":null},{"title":"x","id":0},
          {"title":"x","id":2.9999999999999999},{"title":"x","id":"5"},
          {"title":"x","id":2147483648}]`,
        variantA,
      ),
    );
    assert.deepEqual(
      pointers,
      [1, 2, 3, 4, 5, 6].map((i) => `#/${i}/id`),
    );
  });

  it('are not reserved by an invalid or missing id', () => {
    const text = '[{"title":"x","id":"5"},{"title":"x","id":1}]';
    assert.deepEqual(
      pointersOf(() => inJson(text)),
      ['#/0/id'],
    );
    // These have the same double.
    const beyond = '[{"title":"x","id":9007199254740992},{"title":"x","id":9007199254740993}]';
    assert.deepEqual(
      violationsOf(() => inJson(beyond, variantA)),
      [0, 1].map((i) => [`#/${i}/id`, 'must be at most 2147483647']),
    );
    const last = '[{"title":"x","id":2147483647},{"title":"x"},{"title":"x"}]';
    const rule = 'is missing, and no id is left after 2147483647; give this item a free id';
    assert.deepEqual(
      violationsOf(() => inJson(last, variantA)),
      [
        ['#/1/id', rule],
        ['#/2/id', rule],
      ],
    );
  });
});

it('the members of a seed are violations if they are unknown, unless unknown names are ignored', () => {
  const item = { title: 'x', titel: 1, tags: [], __proto: {} };
  const seed = { version: 1, todos: [item, { title: 'y', finished: true }] };
  assert.deepEqual(
    violationsOf(() => inProgram(seed)),
    [
      ['#/todos/0/titel', 'is unknown; did you mean title?'],
      ...['tags', '__proto'].map((name) => [`#/todos/0/${name}`, UNKNOWN]),
      ['#/todos/1/finished', UNKNOWN],
    ],
  );
  const titles = inProgram(seed, variantB, false).map(({ title }) => title);
  assert.deepEqual(titles, ['x', 'y']);
});

const UNKNOWN = `is unknown; use ${Object.keys(variantB.fields).join(', ')}`;

it('a seed in JSON with several arrays names them if none is that of the collection', () => {
  const file = { posts: [], comments: [], albums: [], photos: [], users: [] };
  assert.throws(() => inJson(JSON.stringify(file)), {
    name: 'InvalidInputError',
    message:
      'the seed is invalid: it must be an array of items, or an object with one such array; of ' +
      '"posts", "comments", "albums", "photos", "users", none is todos',
  });
});

it('a seed in JSON with several arrays is the one with the name of the collection', () => {
  const file = { posts: [{ x: 1 }], todos: [{ title: 'x' }, { titel: 'y' }], users: [] };
  assert.throws(() => inJson(JSON.stringify(file)), /: #\/todos\/1\/titel is unknown/);
  const { todos, ...others } = { ...file, todos: [{ title: 'x' }] };
  assert.deepEqual(inJson(JSON.stringify({ ...others, todos })).length, 1);
  // A single array may have any name.
  assert.deepEqual(inJson(JSON.stringify({ entries: todos })).length, 1);
});

describe('a seed of a program', () => {
  it('may have undefined members, and may be an object with one list', () => {
    const seed = { todos: [{ title: 'x', description: undefined, Title: undefined }], a: 1 };
    const items = inProgram(seed);
    assert.deepEqual([items.length, items[0]?.title], [1, 'x']);
  });

  it('has violations that name the given value, of any type', () => {
    const circle: Record<string, unknown> = {};
    circle.title = circle;
    const bad = { title: 'x', priority: Number.NaN, completed: () => {} };
    const given = [circle, Number.NaN, bad, 'a hole', [], 5n];
    delete given[3];
    assert.deepEqual(
      violationsOf(() => inProgram(given)),
      [
        ['#/0/title', 'must be a string'],
        ['#/1', 'must be an object, not NaN'],
        ['#/2/completed', 'must be true or false'],
        ['#/2/priority', 'must be an integer'],
        ['#/3', 'must be an object, not undefined'],
        ['#/4', 'must be an object, not an array'],
        ['#/5', 'must be an object, not 5'],
      ],
    );
    for (const value of [null, 'x', Number.NaN, () => [], {}, { a: [], b: [] }]) {
      assert.deepEqual(
        pointersOf(() => inProgram(value)),
        ['#'],
      );
    }
  });
});
