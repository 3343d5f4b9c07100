import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionText } from '../../src/table/query/explain.ts';
import { Table } from '../../src/table/table.ts';
import {
  everything,
  randomAlternatives,
  randomCondition,
  randomOptions,
  randomValues,
} from './support/everything.ts';
import { LONG, Random, SEED } from './support/random.ts';
import { found } from './support/reference.ts';

const ROUNDS = LONG ? 100 : 2;
const QUERIES_PER_ROUND = 600;

test(`finds what a look at every row finds, by whatever path (seed ${SEED})`, () => {
  const random = new Random(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const tasks: (() => void)[] = [];
    const table = new Table(everything, { schedule: (task) => tasks.push(task) });
    for (let i = random.below(700); i > 0; i--) table.insert(randomValues(random));
    while (tasks.length > 0) tasks.shift()?.();
    for (let i = 0; i < QUERIES_PER_ROUND; i++) {
      const id = BigInt(1 + random.below(table.idsAssigned + 1));
      random.pick<() => void>([
        () => table.insert(randomValues(random)),
        () => table.update(id, randomValues(random)),
        () => table.delete(id),
      ])();
      // Rarely, so that many a search comes before the latest rows are indexed.
      if (random.chance(50)) for (const task of tasks.splice(0)) task();
      const where = random.list(2, () =>
        random.chance(5)
          ? randomAlternatives(random)
          : randomCondition(random, random.pick([0, 0, 3])),
      );
      const options = randomOptions(random);
      const what = `${where.map(conditionText).join(', ')} ${JSON.stringify(options)}`;
      const rows = table.search();
      const all = found(rows, where);
      const expected = found(all, [], options);
      assert.deepEqual(table.search(where, options), expected, what);
      const cursor = table.cursor(where, { ...options, total: true });
      assert.deepEqual([...cursor], expected, what);
      assert.equal(cursor.total, all.length, what);
      assert.equal(table.count(where), all.length, what);
      assert.equal(table.exists(where), all.length > 0, what);
      assert.equal(table.searchOne(where), all[0], what);
    }
  }
});
