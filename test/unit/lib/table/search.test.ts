import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { LONG, Random, SEED } from './support/random.ts';
import { found } from './support/reference.ts';
import { assertSame } from './support/rows.ts';
import { type Spread, Workload } from './support/workload.ts';

const ROUNDS = LONG ? 60 : 1;
const QUERIES_PER_ROUND = LONG ? 300 : 50;
const QUERIES_PER_MOMENT = 12;

for (const spread of ['dense', 'sparse'] as const satisfies Spread[]) {
  test(`finds the same rows as a scan, ${spread} (seed ${SEED})`, () => {
    const random = new Random(SEED);
    for (let round = 0; round < ROUNDS; round++) {
      const workload = new Workload(random, spread);
      const { table, generator } = workload;
      workload.load();
      const query = () => {
        const where = random.list(2, () =>
          random.chance(5) ? generator.alternatives() : generator.condition(random.pick([0, 0, 3])),
        );
        const options = generator.options();
        const what = `${inspect(where, { depth: 9 })} ${JSON.stringify(options)}`;
        const all = found(table.search(), where);
        const cursor = table.cursor(where, { ...options, total: true });
        return { where, options, what, cursor, all, expected: found(all, [], options) };
      };
      const check = ({ cursor, all, expected, what }: ReturnType<typeof query>) => {
        assertSame([...cursor], expected, what);
        assert.equal(cursor.total, all.length, what);
      };
      /** Queries whose cursors are open while others write. */
      let held: ReturnType<typeof query>[] = [];
      for (let i = 0; i < QUERIES_PER_ROUND; i++) {
        workload.write();
        const present = query();
        check(present);
        const { where, options, what, all, expected } = present;
        assertSame(table.search(where, options), expected, what);
        assert.equal(table.count(where), all.length, what);
        if (i % QUERIES_PER_MOMENT === 0) held.push(query(), query());
        if (!random.chance(3 * QUERIES_PER_MOMENT)) continue;
        for (const each of held) check(each);
        held = [];
      }
      for (const each of held) check(each);
    }
  });
}
