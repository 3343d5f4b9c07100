import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byteString } from '../../src/http/byte-string.ts';
import { keptPerRow, keptPerVersion } from '../../src/resource/kept.ts';

describe('what is kept per row', () => {
  it('is written once for each row, and again for what an update makes of it', () => {
    let written = 0;
    const write = keptPerRow((row) => {
      written++;
      return byteString(`${row.id} ${row.title}`);
    }, 'id');
    const first = { id: 1, title: 'a' };
    assert.equal(write(first), '1 a');
    assert.equal(write(first), '1 a');
    assert.equal(written, 1);
    assert.equal(write({ id: 1, title: 'b' }), '1 b');
    assert.equal(write(first), '1 a');
    assert.equal(written, 3);
  });

  it('is right for any ids, though they share places', () => {
    const write = keptPerRow(({ id }) => byteString(`row ${id}`), 'id');
    const ids = [0, 1, -1, 4096, 4097, 2 ** 31 - 1, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 63n - 2n];
    for (const id of [...ids, ...ids.reverse()]) assert.equal(write({ id }), `row ${id}`);
  });
});

describe('what is kept per version', () => {
  it('is made once for each version', () => {
    let version = 1;
    let made = 0;
    const kept = keptPerVersion<never>(
      () => version,
      () => byteString(`text ${++made}`),
    );
    assert.equal(String(kept()), 'text 1');
    assert.equal(kept(), kept());
    version = 2;
    assert.equal(String(kept()), 'text 2');
    assert.equal(made, 2);
  });

  it('is not a list in slices, which can be read only once', () => {
    const kept = keptPerVersion(
      () => 1,
      () => [].values(),
    );
    assert.notEqual(kept(), kept());
  });
});
