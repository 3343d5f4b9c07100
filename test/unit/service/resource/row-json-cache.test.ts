import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byteString } from '../../../../src/lib/json/byte-string.ts';
import { RowJsonCache } from '../../../../src/service/resource/serializer.ts';

const PLENTY = 10_000_000;

describe('the JSON cache of rows', () => {
  it('serializes each row once, and again after an update', () => {
    let serialized = 0;
    const texts = new RowJsonCache((row) => {
      serialized++;
      return byteString(`${row.id} ${row.title}`);
    }, PLENTY);
    const first = { id: 1, title: 'a' };
    assert.equal(texts.jsonOf(first), '1 a');
    assert.equal(texts.jsonOf(first), texts.jsonOf(first));
    assert.equal(serialized, 1);
    assert.equal(texts.jsonOf({ id: 1, title: 'b' }), '1 b');
    assert.equal(texts.jsonOf(first), '1 a');
    assert.equal(serialized, 3);
  });

  it('is correct for any ids, although they share entries', () => {
    const texts = new RowJsonCache(({ id }) => byteString(`row ${id}`), PLENTY);
    const ids = [0, 1, -1, 4096, 4097, 2 ** 31 - 1, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 63n - 2n];
    for (const id of [...ids, ...ids.reverse()]) {
      assert.equal(texts.jsonOf({ id }), `row ${id}`);
    }
  });

  it('counts its memory, with each row one time and with more than its text', () => {
    const text = byteString('x'.repeat(1_000));
    const texts = new RowJsonCache(() => text, PLENTY);
    assert.equal(texts.bytes, 0);
    texts.jsonOf({ id: 1 });
    const { bytes } = texts;
    assert(bytes > 1_000);
    texts.jsonOf({ id: 1 });
    assert.equal(texts.bytes, bytes);
    texts.jsonOf({ id: 2 });
    assert.equal(texts.bytes, 2 * bytes);
  });

  it('is emptied by a row that would exceed its limit, and then contains that row', () => {
    const text = byteString('x'.repeat(1_000));
    const one = new RowJsonCache(() => text, PLENTY);
    one.jsonOf({ id: 1 });
    const two = new RowJsonCache(() => text, 2 * one.bytes);
    for (const [id, count] of [1, 2, 1, 2, 1].entries()) {
      two.jsonOf({ id });
      assert.equal(two.bytes, count * one.bytes);
    }
  });

  it('has no row that alone exceeds its limit, and keeps the others', () => {
    let made = 0;
    const texts = new RowJsonCache(({ id }) => {
      made++;
      return byteString('x'.repeat(id === 2 ? 10_000 : 10));
    }, 5_000);
    const [short, long] = [{ id: 1 }, { id: 2 }];
    for (const row of [short, long, short, long]) texts.jsonOf(row);
    assert.equal(made, 3, 'the short one is made once');
    assert.ok(texts.bytes <= 5_000, `${texts.bytes}`);
  });
});
