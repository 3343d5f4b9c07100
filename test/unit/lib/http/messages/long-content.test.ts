import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  JsonArray,
  type RowSteps,
  type SerializeRow,
} from '../../../../../src/lib/http/messages/long-content.ts';
import type { ContentParts } from '../../../../../src/lib/http/messages/response.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';

const KIB = 1024;

const serialize: SerializeRow<unknown> = (value) => byteString(JSON.stringify(value));

const textOf = (part: ContentParts['part']) =>
  typeof part === 'string' ? part : part.toString('latin1');

/** Steps that find these batches of rows, again after a restart. */
function rowsOf<T>(batches: readonly (readonly T[] | undefined)[]): RowSteps<T> {
  let rest = batches.values();
  return {
    next: () => {
      const { done, value } = rest.next();
      return done ? { done, value: undefined } : { done: false, value };
    },
    restart: () => {
      rest = batches.values();
    },
  };
}

/** Makes all parts of a list. @returns copies of them, and the number of steps */
function made(list: ContentParts) {
  const parts: string[] = [];
  let steps = 0;
  while (!list.isLast) {
    do steps++;
    while (!list.next().done);
    parts.push(textOf(list.part));
  }
  return { parts, steps };
}

describe('the parts of a list', () => {
  it('together form one JSON array', () => {
    const rows = Array.from({ length: 15_000 }, (_, n) => ({ n, text: 'x'.repeat(n % 200) }));
    const batches = [undefined, rows.slice(0, 1), [], rows.slice(1, 4_000), rows.slice(4_000)];
    const { parts } = made(new JsonArray(rowsOf(batches), serialize));
    assert.deepEqual(JSON.parse(parts.join('')), rows);
    assert(parts.length > 5);
  });

  it('are an empty array if there are no rows', () => {
    assert.deepEqual(made(new JsonArray(rowsOf([]), serialize)).parts, ['[]']);
    assert.deepEqual(made(new JsonArray(rowsOf([undefined, []]), serialize)).parts, ['[]']);
  });

  it('are not there yet while a long search finds nothing, so that others get a turn', () => {
    const nothing = Array.from({ length: 1_000 }, () => undefined);
    assert.equal(made(new JsonArray(rowsOf(nothing), serialize)).steps, 1_001);
  });

  it('have 248 to 256 KiB, then 56 to 64, and are made in steps of 32 KiB', () => {
    const text = 'x'.repeat(1_000);
    const list = new JsonArray(rowsOf([Array.from({ length: 5_000 }, () => text)]), serialize);
    const { parts, steps } = made(list);
    const [first, ...others] = parts.map(({ length }) => length);
    const last = others.pop() ?? 0;
    assert(first && first > 248 * KIB && first <= 256 * KIB, `${first} bytes`);
    assert(others.every((length) => length > 56 * KIB && length <= 64 * KIB));
    assert(last <= 64 * KIB);
    const bytes = parts.join('').length;
    assert(steps > bytes / (34 * KIB) && steps < 2 * parts.length + bytes / (32 * KIB), `${steps}`);
  });

  it('share one buffer after the first, which grows for a long row', () => {
    const rows = Array.from({ length: 1_000 }, (_, n) => 'x'.repeat(n === 700 ? 100_000 : 1_000));
    const list = new JsonArray(rowsOf([rows]), serialize);
    const buffers: ArrayBufferLike[] = [];
    const sizes: number[] = [];
    while (!list.isLast) {
      while (!list.next().done);
      const { part } = list;
      assert(typeof part !== 'string');
      buffers.push(part.buffer);
      sizes.push(part.length);
    }
    assert.notEqual(buffers[0], buffers[1]);
    assert.equal(buffers[1], buffers[2]);
    assert.equal(new Set(buffers).size, 3);
    assert(Math.max(...sizes.slice(1)) > 100_000);
  });

  it('pass on that a list is long after its first part', () => {
    const long: boolean[] = [];
    const rows = Array.from({ length: 1_000 }, () => 'x'.repeat(1_000));
    made(
      new JsonArray(rowsOf([rows]), (row, isLong) => {
        long.push(isLong);
        return serialize(row, isLong);
      }),
    );
    const firstLong = long.indexOf(true);
    assert(firstLong > 240 && firstLong < 260, `${firstLong}`);
    assert(long.slice(firstLong).every((each) => each));
  });

  it('are made again, and the same, after a restart, in another buffer', () => {
    const rows = Array.from({ length: 700 }, (_, n) => 'x'.repeat(n));
    const list = new JsonArray(rowsOf([rows.slice(0, 100), rows.slice(100)]), serialize);
    while (!list.next().done);
    const first = list.part;
    const text = textOf(first);
    list.restart();
    assert.deepEqual([list.isShort, list.isLast], [true, false]);
    assert.equal(made(list).parts.join(''), JSON.stringify(rows));
    assert.equal(textOf(first), text, 'a cache may have it');
  });

  it('close the search', () => {
    let closed = 0;
    const next = () => ({ done: false, value: ['x'] }) as const;
    new JsonArray({ next, restart: () => {}, close: () => closed++ }, serialize).close();
    assert.equal(closed, 1);
  });
});
