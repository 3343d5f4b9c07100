import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Chunk } from '../../../../../src/lib/table/state/chunk.ts';
import { Signature } from '../../../../../src/lib/table/state/signature.ts';
import { OpenStates } from '../../../../../src/lib/table/write/open-states.ts';
import { assertSame } from '../support/rows.ts';
import { filled, type Tasks } from '../support/tables.ts';

const FAULT = new Error('injected');

/** Steps of writes that fail, each at some of its calls. */
const STEPS = [
  [Signature.prototype, 'add'],
  [Chunk.prototype, 'put'],
  [Chunk.prototype, 'replace'],
  [OpenStates.prototype, 'replace'],
] as const;

const WRITES: Readonly<Record<string, (table: Tasks) => void>> = {
  insert: (table) => table.insert({ title: 'another' }),
  update: (table) => table.update(7, { title: 'changed', note: null }),
  delete: (table) => table.delete(7),
  remove: (table) => table.remove((t) => [t.priority.eq(1)]),
  modify: (table) => table.modify((t) => [t.id.gt(3)], { title: 'changed' }),
  transaction: (table) =>
    table.transaction((t) => {
      t.insert({ title: 'another' });
      t.transaction((inner) => inner.update(3, { title: 'changed' }));
      t.remove((columns) => [columns.id.gt(600)]);
    }),
};

describe('a fault at any step of a write leaves the table as it was', () => {
  for (const [name, write] of Object.entries(WRITES)) {
    it(name, () => {
      const table = filled(700);
      const cursor = table.cursor();
      table.update(1, { note: 'meanwhile' });
      const before = [...table.search()];
      const { version, bytes, idsAssigned } = table;
      let faults = 0;
      for (const [owner, step] of STEPS) {
        for (const call of [1, 2, 300]) {
          let calls = 0;
          const original: (...values: never[]) => unknown = Reflect.get(owner, step);
          Reflect.set(owner, step, function (this: unknown, ...values: never[]) {
            if (++calls === call) throw FAULT;
            return Reflect.apply(original, this, values);
          });
          try {
            table.transaction(() => {
              write(table);
              throw FAULT;
            });
          } catch (error) {
            assert.equal(error, FAULT);
          } finally {
            Reflect.set(owner, step, original);
          }
          if (calls >= call) faults++;
          assertSame(table.search(), before);
          assert.deepEqual(
            [table.version, table.bytes, table.idsAssigned],
            [version, bytes, idsAssigned],
          );
        }
      }
      assert.ok(faults > 1, `${faults} faults`);
      write(table);
      assert.equal(table.version, version + 1);
      assert.equal([...cursor].length, 700);
    });
  }
});
