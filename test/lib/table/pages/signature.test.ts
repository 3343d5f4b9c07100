import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasBit } from '../../../../src/lib/table/bits.ts';
import { gramsOf } from '../../../../src/lib/table/pages/grams.ts';
import { type Region, Signature } from '../../../../src/lib/table/pages/signature.ts';
import { slicesFor } from '../../../../src/lib/table/pages/slices.ts';

const SLICES = 1024;
const WORDS = 3;

/** A page that has the first words. */
function first(signature: Signature): Region {
  return { signature, firstWord: 0, words: WORDS, rows: 0, signed: 0 };
}

/** A signature in which some rows have been signed with a text. */
function signed(textOf: (position: number) => string | undefined, slices = SLICES): Signature {
  const signature = new Signature(slices);
  signature.grow(WORDS);
  signature.takeWords(0, WORDS);
  for (let position = 0; position < WORDS * 32; position++) {
    const text = textOf(position);
    if (text === undefined) continue;
    signature.mark(first(signature), position, text);
    signature.sign(first(signature), position, text.length);
  }
  return signature;
}

function regionOf(signature: Signature, words: number): Region {
  const firstWord = signature.placeFor(words) ?? assert.fail('it has none left');
  signature.grow(Math.max(signature.words, firstWord + words));
  assert.ok(signature.takeWords(firstWord, words));
  return { signature, firstWord, words, rows: 0, signed: 0 };
}

/** The positions that may have all grams. */
function maskOf(signature: Signature, hashes: readonly number[]): Int32Array {
  const mask = new Int32Array(signature.words).fill(-1);
  signature.narrow(hashes, 0, signature.words, mask, mask);
  return mask;
}

function candidates(signature: Signature, needle: string): readonly number[] {
  const mask = maskOf(signature, signature.rarest(gramsOf([needle])));
  return Array.from({ length: mask.length * 32 }, (_, at) => at).filter((at) => hasBit(mask, at));
}

const all = (isWanted: (position: number) => boolean) =>
  Array.from({ length: WORDS * 32 }, (_, position) => position).filter(isWanted);

describe('how many slices a signature has', () => {
  it('is nine for each unit of a text, within bounds', () => {
    for (const [units, slices] of [
      [0, 64],
      [7, 64],
      [8, 80],
      [130, 1184],
      [1200, 8192],
      [1_000_000, 8192],
    ] as const) {
      assert.equal(slicesFor(units), slices, `${units} units`);
    }
  });

  it('decides how many rows it can take: 65,536, or as many pages as fit 6 MiB', () => {
    assert.equal(new Signature(64).maxWords, 2048);
    assert.equal(new Signature(1024).maxWords, 1536);
    assert.equal(new Signature(8192).maxWords, 128);
  });
});

describe('a signature', () => {
  it('names the rows that have all grams, and those that have not been signed', () => {
    const signature = signed((at) => (at % 3 === 0 ? undefined : at % 3 === 1 ? 'milk' : 'bread'));
    assert.deepEqual(
      candidates(signature, 'milk'),
      all((at) => at % 3 !== 2),
    );
    assert.deepEqual(
      candidates(signature, 'bread'),
      all((at) => at % 3 !== 1),
    );
    assert.deepEqual(
      candidates(signature, 'absent'),
      all((at) => at % 3 === 0),
    );
    assert.deepEqual(
      candidates(
        signed(() => 'milk'),
        'absent',
      ),
      [],
    );
  });

  it('has a bit for each gram of three and of four units', () => {
    // The upper half of a hash decides the slice.
    const hashes = Array.from({ length: SLICES }, (_, i) => Math.ceil((i * 65_536) / SLICES) << 16);
    const bitsOf = (signature: Signature, position: number) =>
      hashes.filter((hash) => hasBit(maskOf(signature, [hash]), position)).length;
    const texts = ['ab', 'abc', 'abcd', 'abcdefgh'];
    const signature = signed((at) => texts[at] ?? '');
    assert.deepEqual(
      texts.map((_, at) => bitsOf(signature, at)),
      [0, 1, 3, 11],
    );
  });

  it('names no row that lacks one gram of many, whichever', () => {
    const text = 'abcdefg';
    const { threes } = gramsOf([text]);
    const gram = (at: number) => text.slice(at, at + 3);
    // A row for each gram, which has all but that one; and one that has all.
    const signature = signed(() => '');
    for (let row = 0; row <= threes.length; row++) {
      threes.forEach((_, at) => {
        if (at !== row) signature.mark(first(signature), row, gram(at));
      });
    }
    assert.deepEqual([...maskOf(signature, threes)], [1 << threes.length, 0, 0]);
  });

  it('keeps what it knows when it grows, and knows nothing of what is new', () => {
    const signature = signed((at) => (at % 2 ? 'milk' : 'bread'));
    for (const words of [WORDS + 1, 200, 1000]) {
      signature.grow(words);
      assert.equal(signature.words, words);
      assert.ok(!signature.lacks(gramsOf(['milk'])) && signature.lacks(gramsOf(['absent'])));
      const found = candidates(signature, 'milk').filter((at) => at < WORDS * 32);
      assert.deepEqual(
        found,
        all((at) => at % 2 === 1),
      );
      assert.equal(candidates(signature, 'absent').length, (words - WORDS) * 32);
    }
  });

  it('says beforehand what memory it takes', () => {
    const signature = new Signature(SLICES);
    for (const words of [0, 3, 200, 1000]) {
      const expected = signature.bytesWith(words);
      signature.grow(words);
      assert.equal(signature.bytes, expected);
      assert.ok(expected >= (SLICES * words * 32) / 8 && expected <= SLICES * words * 4.5 + 80_000);
    }
  });

  it('names a row for every text after it was unsigned, until it is signed again', () => {
    const signature = signed(() => 'milk and bread');
    signature.unsign(first(signature), 39);
    assert.deepEqual(candidates(signature, 'absent'), [39]);
    signature.sign(first(signature), 39, 6);
    assert.deepEqual(candidates(signature, 'absent'), []);
  });

  it('gives each page words of its own, as long as there are any', () => {
    const signature = new Signature(2048);
    const regions = [128, 128, 200].map((words) => regionOf(signature, words));
    assert.deepEqual(
      regions.map(({ firstWord }) => firstWord),
      [0, 128, 256],
    );
    assert.equal(signature.placeFor(313), undefined);
    assert.equal(regionOf(signature, 312).firstWord, 456);
    assert.ok(!signature.takeWords(128, 2), 'a page has them');
  });

  it('gives words again that a page has given back, and nothing of its rows', () => {
    const signature = signed((at) => (at < 64 ? 'milk' : 'bread'));
    signature.release({ ...first(signature), firstWord: 1, words: 1, rows: 32 });
    assert.equal(signature.placeFor(1), 1);
    assert.ok(signature.takeWords(1, 1));
    const unsigned = all((at) => at >= 32 && at < 64);
    assert.deepEqual(candidates(signature, 'absent'), unsigned);
    for (const at of unsigned) signature.sign(first(signature), at, 0);
    assert.deepEqual(
      candidates(signature, 'milk'),
      all((at) => at < 32),
    );
  });

  it('is worn when its pages have less than half of its words, and free when they have none', () => {
    const signature = new Signature(SLICES);
    const [a, b, c] = [10, 10, 10].map((words) => regionOf(signature, words));
    assert(a && b && c);
    signature.release(a);
    assert.ok(!signature.isWorn);
    signature.release(b);
    assert.ok(signature.isWorn && !signature.isFree);
    signature.release(c);
    assert.ok(signature.isFree);
  });

  it('counts a row again that comes in the place of one, as one whose texts have changed', () => {
    const signature = signed(() => 'x'.repeat(20));
    for (let at = 0; at < WORDS * 32; at++) signature.sign(first(signature), at, 20);
    assert.equal(signature.meanUnits, 20);
    assert.ok(!signature.isWorn);
    for (let at = 0; at < WORDS * 32; at++) signature.sign(first(signature), at, 20);
    assert.ok(signature.isWorn);
  });

  it('is worn when texts are too long for its slices, unless it has the most', () => {
    assert.ok(!signed(() => 'x'.repeat(300)).isWorn);
    assert.ok(signed(() => 'x'.repeat(310)).isWorn);
    assert.equal(signed(() => 'x'.repeat(310)).meanUnits, 310);
    assert.ok(!signed(() => 'x'.repeat(9000), 8192).isWorn);
  });

  it('is worn when half of what it shows is of texts that are gone', () => {
    const signature = signed(() => 'x'.repeat(20));
    signature.noteStale(20 * WORDS * 32);
    assert.ok(!signature.isWorn);
    signature.noteStale(1);
    assert.ok(signature.isWorn);
  });
});
