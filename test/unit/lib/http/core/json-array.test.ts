import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JsonArray } from '../../../../../src/lib/http/core/json-array.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';

const serialize = (value: unknown) => byteString(JSON.stringify(value));

/** What each step of a list yields. */
function stepsOf(batches: readonly (readonly unknown[] | undefined)[]): (string | undefined)[] {
  const list = new JsonArray(batches.values(), serialize);
  const parts: (string | undefined)[] = [];
  for (let isEnd = false; !isEnd; ) {
    const { done = false, value } = list.next();
    parts.push(value);
    isEnd = done;
  }
  return parts;
}

describe('the parts of a list', () => {
  it('together form one JSON array', () => {
    const rows = Array.from({ length: 15_000 }, (_, n) => ({ n, text: 'x'.repeat(50) }));
    const batches = [undefined, rows.slice(0, 1), [], rows.slice(1, 4_000), rows.slice(4_000)];
    const parts = stepsOf(batches);
    assert.deepEqual(JSON.parse(parts.join('')), rows);
    assert(parts.filter((part) => part !== undefined).length > 5);
  });

  it('are an empty array if there are no rows', () => {
    assert.equal(stepsOf([]).join(''), '[]');
    assert.equal(stepsOf([undefined, []]).join(''), '[]');
  });

  it('are not there yet while a long search finds nothing, so that others get a turn', () => {
    const parts = stepsOf(Array.from({ length: 1_000 }, () => undefined));
    assert.equal(parts.length, 1_001);
    assert.equal(parts.join(''), '[]');
  });

  it('are of bounded size, however long a batch is, and each is short work', () => {
    const text = 'x'.repeat(1_000);
    let serialized = 0;
    const batches = [Array.from({ length: 10_000 }, () => text)].values();
    const list = new JsonArray(batches, (value) => {
      serialized++;
      return serialize(value);
    });
    let most = 350 * 1024;
    for (let isEnd = false; !isEnd; ) {
      const before = serialized;
      const { done = false, value } = list.next();
      isEnd = done;
      if (value !== undefined) {
        assert(value.length < most, `a part of ${value.length} bytes`);
        most = 100 * 1024;
      }
      assert(serialized - before < 40, 'at most about 32 KiB of text at once');
    }
    assert.equal(serialized, 10_000);
  });

  it('report the memory held, and close the search', () => {
    let closed = 0;
    const search = {
      ...{ bytes: 1_000, close: () => closed++ },
      next: () => [[1]].values().next(),
    };
    const list = new JsonArray(search, serialize);
    list.next();
    assert.equal(list.bytes, 1_000 + '[1'.length);
    list.close?.();
    assert.equal(closed, 1);
  });

  it('are passed on if there is only one', () => {
    const wholeOf = (batches: readonly (readonly unknown[])[]) => {
      const whole: string[] = [];
      const list = new JsonArray(batches.values(), serialize, (text) => whole.push(text));
      while (!list.next().done);
      return whole;
    };
    assert.deepEqual(wholeOf([[1], [2]]), ['[1,2]']);
    assert.deepEqual(wholeOf([Array(100).fill('x'.repeat(10_000))]), []);
  });
});
