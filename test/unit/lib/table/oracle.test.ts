import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { Condition } from '../../../../src/lib/table/condition/condition.ts';
import type { Cursor } from '../../../../src/lib/table/query/execution.ts';
import type { SearchOptions } from '../../../../src/lib/table/query/search-options.ts';
import { fold } from '../../../../src/lib/table/text/case-folding.ts';
import { type Everything, everything } from './support/everything.ts';
import { LONG, Random, SEED } from './support/random.ts';
import { assertSame, idsOf } from './support/rows.ts';
import { sqlOf, sqlTail, sqlValue } from './support/sql.ts';
import { Workload } from './support/workload.ts';

const SKIPPED =
  Number(process.versions.node.split('.')[0]) < 24 && 'node:sqlite needs Node 24 or newer';

const ROUNDS = LONG ? 50 : 1;
const QUERIES_PER_ROUND = LONG ? 700 : 200;
const QUERIES_PER_WRITE = 3;
const QUERIES_PER_MOMENT = 60;

/** Makes a database that has the rows of the table, and follows its commits. */
async function twinOf({ table }: Workload) {
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
  // The last row id, which a statement returns, may be too large for a number.
  for (const statement of [put, remove]) statement.setReadBigInts(true);
  table.onCommit(({ changes, isReplacement }) => {
    database.exec('begin');
    if (isReplacement) {
      database.exec('delete from todo');
      for (const row of table.search()) put.run(...Object.values(row).map(sqlValue));
    }
    for (const { put: row, deleted } of changes) {
      if (row) put.run(...Object.values(row).map(sqlValue));
      if (deleted) remove.run(deleted.id);
    }
    database.exec('commit');
  });
  const find = (conditions: readonly Condition[], options: SearchOptions) => {
    const where = sqlOf({ op: 'and', conditions });
    const query = database.prepare(`select id from todo where ${where.text} ${sqlTail(options)}`);
    query.setReadBigInts(true);
    return query.all(...where.values).map(({ id }) => id);
  };
  return { find, close: () => database.close() };
}

for (const spread of ['dense', 'sparse'] as const) {
  test(`agrees with SQLite, ${spread} (seed ${SEED})`, { skip: SKIPPED }, async () => {
    const random = new Random(SEED);
    for (let round = 0; round < ROUNDS; round++) {
      const workload = new Workload(random, spread);
      const { table, generator } = workload;
      const twin = await twinOf(workload);
      workload.load();
      const query = () => {
        const where = random.list(2, () =>
          random.chance(10) ? generator.alternatives() : generator.condition(3),
        );
        const options = generator.options();
        const expected = twin.find(where, options);
        const what = `seed ${SEED}: ${inspect(where, { depth: 9 })} ${JSON.stringify(options)}`;
        return { where, options, expected, what };
      };
      /** Cursors that are open while others write, several of a moment. */
      const held: (ReturnType<typeof query> & { readonly cursor: Cursor<Everything> })[][] = [];
      for (let i = 0; i < QUERIES_PER_ROUND; i++) {
        if (i % QUERIES_PER_WRITE === 0) workload.write();
        const { where, options, expected, what } = query();
        const found = table.search(where, options);
        assert.deepEqual(idsOf(found), expected, what);
        if (i % 4 === 0) {
          const cursor = table.cursor(where, { ...options, total: true });
          assertSame([...cursor], found, what);
          assert.equal(cursor.total, table.count(where), what);
        }
        if (i % 16 === 0) {
          const all = table.search(where);
          assert.equal(table.count(where), all.length, what);
        }
        if (i % QUERIES_PER_MOMENT === 0) {
          const queries = [query(), query(), query()];
          held.push(queries.map((q) => ({ ...q, cursor: table.cursor(q.where, q.options) })));
        }
        if (i % QUERIES_PER_MOMENT === 30 && (held.length > 3 || random.chance(3))) {
          for (const { cursor, expected, what } of held.splice(random.below(held.length), 1)[0] ??
            []) {
            assert.deepEqual(idsOf(cursor), expected, what);
          }
        }
      }
      twin.close();
    }
  });
}
