import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionText } from '../../src/table/query/condition-text.ts';
import { MEANS } from '../../src/table/query/filter.ts';
import { Table } from '../../src/table/table.ts';
import { fold } from '../../src/table/text/case-folding.ts';
import {
  type Everything,
  everything,
  randomAlternatives,
  randomCondition,
  randomOptions,
  randomValues,
} from './support/everything.ts';
import { LONG, Random, SEED } from './support/random.ts';
import { sqlOf, sqlTail, sqlValue } from './support/sql.ts';

const SKIPPED =
  Number(process.versions.node.split('.')[0]) < 24 && 'node:sqlite needs Node 24 or newer';

const ROUNDS = LONG ? 50 : 2;
const QUERIES_PER_ROUND = 2000;
const QUERIES_PER_WRITE = 4;

/** The same rows in a table and in SQLite. */
async function twins() {
  const { DatabaseSync } = await import('node:sqlite');
  const names = Object.keys(everything);
  const database = new DatabaseSync(':memory:');
  database.function('fold', { deterministic: true }, (text) =>
    typeof text === 'string' ? fold(text) : null,
  );
  database.exec('pragma case_sensitive_like = on');
  const columns = Object.entries(everything).map(
    ([name, { kind }]) => `${name} ${kind === 'text' || kind === 'timestamp' ? 'text' : 'integer'}`,
  );
  database.exec(`create table todo (${columns.join(', ')}, primary key (id))`);
  const put = database.prepare(
    `insert or replace into todo values (${names.map(() => '?').join(', ')})`,
  );
  const remove = database.prepare('delete from todo where id = ?');
  const table = new Table(everything);
  table.onCommit(({ changes, isReplacement }) => {
    if (isReplacement) {
      database.exec('delete from todo');
      for (const row of table.search()) put.run(...Object.values(row).map(sqlValue));
    }
    for (const { put: row, deleted } of changes) {
      if (row) put.run(...Object.values(row).map(sqlValue));
      if (deleted) remove.run(deleted.id);
    }
  });
  return { table, database };
}

test(`agrees with SQLite (seed ${SEED})`, { skip: SKIPPED }, async () => {
  const random = new Random(SEED);
  const used = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const { table, database } = await twins();
    const write = () => {
      const id = BigInt(random.below(table.size + 20));
      random.pick<() => void>([
        () => table.insert(randomValues(random)),
        () => table.insert(randomValues(random)),
        () => table.update(id, randomValues(random)),
        () => table.delete(id),
        () => table.transaction((t) => [t.insert(randomValues(random)), t.delete(id)]),
        () => random.chance(40) && replace(table, random),
      ])();
    };
    table.transaction(() => {
      for (let i = random.below(600); i > 0; i--) table.insert(randomValues(random));
    });
    for (let i = 0; i < QUERIES_PER_ROUND; i++) {
      if (i % QUERIES_PER_WRITE === 0) write();
      const conditions = random.list(2, () =>
        random.chance(10) ? randomAlternatives(random) : randomCondition(random, 3),
      );
      const options = randomOptions(random);
      const where = sqlOf({ op: 'and', conditions });
      const query = database.prepare(`select id from todo where ${where.text} ${sqlTail(options)}`);
      query.setReadBigInts(true);
      const expected = query.all(...where.values).map(({ id }) => id);
      const what = `seed ${SEED}: ${conditions.map(conditionText).join(', ')} ${JSON.stringify(options)}`;
      for (const { means } of table.explain(conditions, options).conditions) {
        used.set(means, (used.get(means) ?? 0) + 1);
      }
      const found = table.search(conditions, options);
      assert.deepEqual(
        found.map(({ id }) => id),
        expected,
        what,
      );
      if (i % 4 === 0) {
        const cursor = table.cursor(conditions, { ...options, total: true });
        assert.deepEqual([...cursor], found, what);
        assert.equal(cursor.total, table.count(conditions), what);
        const snapshot = table.snapshot();
        assert.deepEqual(snapshot.search(conditions, options), found, what);
      }
      if (i % 16 === 0) {
        const all = table.search(conditions);
        assert.equal(table.count(conditions), all.length, what);
        assert.equal(table.exists(conditions), all.length > 0, what);
        assert.equal(table.searchOne(conditions), all[0], what);
      }
    }
    database.close();
  }
  for (const means of MEANS) assert.ok((used.get(means) ?? 0) > 20, `${means} was used`);
});

function replace(table: Table<Everything>, random: Random): void {
  const replacement = table.replacement();
  for (let i = random.below(600); i > 0; i--) replacement.insert(randomValues(random));
  replacement.commit();
}
