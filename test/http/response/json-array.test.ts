import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JsonArray, type Source } from '../../../src/http/response/json-array.ts';
import { byteString } from '../../../src/json/byte-string.ts';

/** Returns batches one by one. */
class Batches<T> implements Source<T> {
  readonly bytes = 1000;
  closed = 0;
  readonly #rest: (readonly T[])[];

  constructor(batches: readonly (readonly T[])[]) {
    this.#rest = [...batches];
  }

  step(): readonly T[] | undefined {
    return this.#rest.shift();
  }

  close(): void {
    this.closed++;
  }
}

const serialize = (value: unknown) => byteString(JSON.stringify(value));

/** All chunks of a list, including empty ones. */
function chunksOf(batches: readonly (readonly unknown[])[]): string[] {
  const array = new JsonArray(new Batches(batches), serialize);
  const chunks: string[] = [];
  for (let chunk = array.next(); chunk !== undefined; chunk = array.next()) chunks.push(chunk);
  assert.equal(array.next(), undefined, 'stays at the end');
  return chunks;
}

describe('the chunks of a list', () => {
  it('together form one JSON array', () => {
    const rows = Array.from({ length: 15_000 }, (_, n) => ({ n, text: 'x'.repeat(50) }));
    const chunks = chunksOf([[], rows.slice(0, 1), [], rows.slice(1, 4_000), rows.slice(4_000)]);
    assert.deepEqual(JSON.parse(chunks.join('')), rows);
    assert(chunks.filter((chunk) => chunk !== '').length > 5);
  });

  it('are an empty array if there are no rows', () => {
    assert.equal(chunksOf([]).join(''), '[]');
    assert.equal(chunksOf([[], []]).join(''), '[]');
  });

  it('are empty while a long search finds nothing, so that other work gets a turn', () => {
    const chunks = chunksOf(Array.from({ length: 1_000 }, () => []));
    assert(chunks.length >= 1_000);
    assert.equal(chunks.join(''), '[]');
  });

  it('are of bounded size, however long a batch is, and each is short work', () => {
    const text = 'x'.repeat(1_000);
    let serialized = 0;
    const array = new JsonArray(
      new Batches([Array.from({ length: 10_000 }, () => text)]),
      (value) => {
        serialized++;
        return serialize(value);
      },
    );
    for (;;) {
      const before = serialized;
      const chunk = array.next();
      if (chunk === undefined) break;
      assert(chunk.length < 100 * 1024, `a chunk of ${chunk.length} bytes`);
      assert(serialized - before < 40, 'at most about 32 KiB of text at once');
    }
    assert.equal(serialized, 10_000);
  });

  it('report the memory held, and close their source', () => {
    const source = new Batches([[1, 2, 3]]);
    const array = new JsonArray(source, serialize);
    assert(array.bytes >= source.bytes);
    array.close();
    assert.equal(source.closed, 1);
  });

  it('pass on the whole text if requested', () => {
    const whole: string[] = [];
    const array = new JsonArray(new Batches([[1]]), serialize, (text) => whole.push(text));
    array.whole(byteString('[1]'));
    assert.deepEqual(whole, ['[1]']);
  });
});
