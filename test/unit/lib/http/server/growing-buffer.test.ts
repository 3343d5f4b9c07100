import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { GrowingBuffer } from '../../../../../src/lib/http/server/machine/pending-exchange.ts';

describe('gathered pieces', () => {
  it('are what was added, whatever was cleared before', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 40 });
    fc.assert(
      fc.property(pieces, pieces, (cleared, kept) => {
        const gathered = new GrowingBuffer();
        for (const piece of cleared) gathered.add(Buffer.from(piece));
        gathered.clear();
        assert.equal(gathered.bytes, 0);
        for (const piece of kept) gathered.add(Buffer.from(piece));
        assert.deepEqual(gathered.content, Buffer.concat(kept));
      }),
    );
  });

  it('take at most twice their length, also byte by byte', () => {
    const gathered = new GrowingBuffer();
    const byte = Buffer.from('x');
    for (let length = 1; length <= 70_000; length++) {
      gathered.add(byte);
      if (gathered.bytes > 2 * length) assert.fail(`${gathered.bytes} for ${length}`);
    }
  });

  it('a piece by itself is not copied', () => {
    const piece = Buffer.from('whole');
    const gathered = new GrowingBuffer();
    gathered.add(piece);
    assert.equal(gathered.content.buffer, piece.buffer);
  });
});
