import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byteString } from '../../src/json/byte-string.ts';
import { Representation, Representations } from '../../src/resource/representation.ts';
import { VersionCache } from '../../src/resource/version-cache.ts';

const PLENTY = 10_000_000;

describe('a representation', () => {
  it('has a strong tag that depends only on its text', () => {
    const tag = (text: string) => new Representation(byteString(text)).tag;
    assert.match(tag('{"id":1}'), /^"[\w-]{24}"$/);
    assert.equal(tag('{"id":1}'), tag('{"id":1}'));
    assert.notEqual(tag('{"id":1}'), tag('{"id":2}'));
    assert.equal(tag('é'), new Representation(byteString('é')).response.headers.ETag);
  });
});

describe('the cache of representations', () => {
  it('serializes each row once, and again after an update', () => {
    let serialized = 0;
    const representations = new Representations(
      (row) => {
        serialized++;
        return byteString(`${row.id} ${row.title}`);
      },
      'id',
      PLENTY,
    );
    const first = { id: 1, title: 'a' };
    assert.equal(representations.of(first).text, '1 a');
    assert.equal(representations.of(first), representations.of(first));
    assert.equal(serialized, 1);
    assert.equal(representations.of({ id: 1, title: 'b' }).text, '1 b');
    assert.equal(representations.of(first).text, '1 a');
    assert.equal(serialized, 3);
  });

  it('is correct for any ids, although they share entries', () => {
    const representations = new Representations(({ id }) => byteString(`row ${id}`), 'id', PLENTY);
    const ids = [0, 1, -1, 4096, 4097, 2 ** 31 - 1, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 63n - 2n];
    for (const id of [...ids, ...ids.reverse()]) {
      assert.equal(representations.of({ id }).text, `row ${id}`);
    }
  });

  it('counts what it holds, each row once and with more than its text', () => {
    const text = byteString('x'.repeat(1_000));
    const representations = new Representations(() => text, 'id', PLENTY);
    assert.equal(representations.bytes, 0);
    representations.of({ id: 1 });
    const { bytes } = representations;
    assert(bytes > 1_000);
    representations.of({ id: 1 });
    assert.equal(representations.bytes, bytes);
    representations.of({ id: 2 });
    assert.equal(representations.bytes, 2 * bytes);
  });

  it('starts again where one more row is too much, with that row', () => {
    const text = byteString('x'.repeat(1_000));
    const one = new Representations(() => text, 'id', PLENTY);
    one.of({ id: 1 });
    const two = new Representations(() => text, 'id', 2 * one.bytes);
    for (const [id, count] of [1, 2, 1, 2, 1].entries()) {
      two.of({ id });
      assert.equal(two.bytes, count * one.bytes);
    }
  });

  it('stays within its limit, and is still correct', () => {
    let serialized = 0;
    const representations = new Representations(
      ({ id }) => {
        serialized++;
        return byteString(`row ${id} `.padEnd(1000, 'x'));
      },
      'id',
      10_000,
    );
    const rows = Array.from({ length: 30 }, (_, id) => ({ id }));
    for (const row of rows) {
      assert.match(representations.of(row).text, new RegExp(`^row ${row.id} x`));
      assert(representations.bytes <= 10_000);
    }
    assert.equal(serialized, 30);
    for (const row of rows) representations.of(row);
    assert(serialized > 50, 'at most ten of them are cached');
    const last = rows.at(-1);
    assert(last);
    const before = serialized;
    representations.of(last);
    assert.equal(serialized, before, 'the last one is cached');
  });
});

describe('the cache of a version', () => {
  it('returns the text of the last version set, as bytes', () => {
    const cache = new VersionCache();
    assert.equal(cache.get(0), undefined);
    cache.set(1, byteString('é'));
    assert.equal(String(cache.get(1)), 'é');
    assert.equal(cache.get(1), cache.get(1));
    assert.equal(cache.get(2), undefined);
    cache.set(2, byteString('two'));
    assert.equal(String(cache.get(2)), 'two');
    assert.equal(cache.get(1), undefined);
  });
});
