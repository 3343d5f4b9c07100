import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { Condition } from '../../../../src/lib/table/condition/condition.ts';
import type { SearchOptions } from '../../../../src/lib/table/query/search-options.ts';
import type { Kind } from '../../../../src/lib/table/schema/column.ts';
import { integerIn } from '../../../../src/lib/table/schema/integer.ts';
import { fold } from '../../../../src/lib/table/text/case-folding.ts';
import { LONG, Random, SEED } from '../../../support/random.ts';
import { everything } from './support/everything.ts';
import { found } from './support/reference.ts';
import { assertSame, idsOf } from './support/rows.ts';
import { sqlOf, sqlTail, sqlValue } from './support/sql.ts';
import { Workload } from './support/workload.ts';

/** Without SQLite, a look at every row is the only judge. */
const HAS_SQLITE = Number(process.versions.node.split('.')[0]) >= 24;

const ROUNDS = LONG ? 50 : 1;
const QUERIES_PER_ROUND = LONG ? 700 : 200;
const QUERIES_PER_MOMENT = 20;

/** The type of each kind of column in SQLite. */
const TYPES: Readonly<Record<Kind, string>> = {
  integer: 'integer',
  bigint: 'integer',
  number: 'real',
  boolean: 'integer',
  text: 'text',
  timestamp: 'text',
  instant: 'text',
  json: 'text',
};

/** Makes a database that has the rows of the table, and follows its commits. */
async function twinOf({ table }: Workload) {
  const { DatabaseSync } = await import('node:sqlite');
  const names = Object.keys(everything);
  const database = new DatabaseSync(':memory:');
  database.function('fold', { deterministic: true }, (text) =>
    typeof text === 'string' ? fold(text) : null,
  );
  database.exec('pragma case_sensitive_like = on');
  const columns = Object.entries(everything).map(([name, { kind }]) => `${name} ${TYPES[kind]}`);
  database.exec(`create table todo (${columns.join(', ')}, primary key (id))`);
  const put = database.prepare(
    `insert or replace into todo values (${names.map(() => '?').join(', ')})`,
  );
  const remove = database.prepare('delete from todo where id = ?');
  // The last row id, which a statement returns, may be too large for a number.
  for (const statement of [put, remove]) statement.setReadBigInts(true);
  table.onCommit(({ changes }) => {
    database.exec('begin');
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
    return query.all(...where.values).map(({ id }) => integerIn(id));
  };
  return { find, close: () => database.close() };
}

for (const spread of ['dense', 'sparse'] as const) {
  test(`finds the same rows as a scan and SQLite, ${spread} (seed ${SEED})`, async () => {
    const random = new Random(SEED);
    for (let round = 0; round < ROUNDS; round++) {
      const workload = new Workload(random, spread);
      const { table, generator } = workload;
      const twin = HAS_SQLITE ? await twinOf(workload) : undefined;
      workload.load();
      const query = () => {
        const where = random.list(2, () =>
          random.chance(4) ? generator.search() : generator.condition(random.pick([0, 3, 3])),
        );
        const options = generator.options();
        const what = `seed ${SEED}: ${inspect(where, { depth: 9 })} ${JSON.stringify(options)}`;
        const all = found(table.search(), where);
        const expected = found(all, [], options);
        if (twin) assert.deepEqual(idsOf(expected), twin.find(where, options), what);
        const cursor = table.cursor(where, options);
        return { where, options, what, cursor, all, expected };
      };
      const check = ({ cursor, all, expected, what }: ReturnType<typeof query>) => {
        assertSame([...cursor], expected, what);
        assert.equal(cursor.total, all.length, what);
      };
      /** Queries whose cursors are open during writes. Several may be opened between two writes. */
      let held: ReturnType<typeof query>[] = [];
      for (let i = 0; i < QUERIES_PER_ROUND; i++) {
        if (i % 3 === 0) workload.write();
        const present = query();
        const { where, options, what, expected } = present;
        if (i % 4 === 0) check(present);
        else present.cursor.close();
        assertSame(table.search(where, options), expected, what);
        if (i % QUERIES_PER_MOMENT === 0) held.push(query(), query());
        if (!random.chance(QUERIES_PER_MOMENT)) continue;
        for (const each of held) check(each);
        held = [];
      }
      for (const each of held) check(each);
      twin?.close();
    }
  });
}
