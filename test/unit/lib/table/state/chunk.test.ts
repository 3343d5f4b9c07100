import assert from 'node:assert/strict';
import { it } from 'node:test';
import { resolveSchema } from '../../../../../src/lib/table/schema/resolved-schema.ts';
import { Chunk } from '../../../../../src/lib/table/state/chunk.ts';
import { entryOf } from '../../../../../src/lib/table/state/entry.ts';

const schema = resolveSchema({
  id: { kind: 'integer', identity: { from: 1, to: 99 } },
  flag: { kind: 'boolean' },
});

it('a chunk reads its rows for the first query by a column, and for no other', () => {
  let reads = 0;
  const rowOf = (id: number) => ({
    id,
    get flag() {
      reads++;
      return id % 2 === 0;
    },
  });
  let chunk = Chunk.of(0, entryOf(schema, 1, rowOf(1), 0));
  for (let id = 2; id <= 10; id++) {
    const after = entryOf(schema, id, rowOf(id), 0);
    chunk = chunk.with(id, { before: undefined, after }) ?? chunk;
  }
  reads = 0;
  const sections = chunk.sectionsOf('flag', 'boolean');
  assert.deepEqual([sections?.length, reads], [2, 10]);
  assert.equal(chunk.sectionsOf('flag', 'boolean'), sections);
  assert.equal(reads, 10);
});
