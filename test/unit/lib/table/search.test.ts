import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { Snapshot } from '../../../../src/lib/table/read-view.ts';
import type { Everything } from './support/everything.ts';
import { LONG, Random, SEED } from './support/random.ts';
import { found } from './support/reference.ts';
import { assertSame } from './support/rows.ts';
import { type Spread, Workload } from './support/workload.ts';

const ROUNDS = LONG ? 60 : 1;
const QUERIES_PER_ROUND = LONG ? 300 : 50;
const QUERIES_PER_SNAPSHOT = 12;

for (const spread of ['dense', 'sparse'] as const satisfies Spread[]) {
  test(`finds what a look at every row finds, ${spread} (seed ${SEED})`, () => {
    const random = new Random(SEED);
    for (let round = 0; round < ROUNDS; round++) {
      const workload = new Workload(random, spread);
      const { table, generator } = workload;
      workload.load();
      /** A snapshot that is open while others write, with the rows that it must show. */
      let held = { snapshot: table.snapshot(), rows: table.search() };
      const check = (view: typeof table | Snapshot<Everything>, rows = table.search()) => {
        const where = random.list(2, () =>
          random.chance(5) ? generator.alternatives() : generator.condition(random.pick([0, 0, 3])),
        );
        const options = generator.options();
        const what = `${inspect(where, { depth: 9 })} ${JSON.stringify(options)}`;
        const all = found(rows, where);
        const expected = found(all, [], options);
        assertSame(view.search(where, options), expected, what);
        const cursor = view.cursor(where, { ...options, total: true });
        assertSame([...cursor], expected, what);
        assert.equal(cursor.total, all.length, what);
        assert.equal(view.count(where), all.length, what);
      };
      for (let i = 0; i < QUERIES_PER_ROUND; i++) {
        workload.write();
        check(table);
        if (i % QUERIES_PER_SNAPSHOT !== 0) continue;
        check(held.snapshot, held.rows);
        if (!random.chance(3)) continue;
        assertSame(held.snapshot.search(), held.rows);
        held.snapshot.close();
        held = { snapshot: table.snapshot(), rows: table.search() };
      }
    }
  });
}
