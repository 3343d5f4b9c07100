import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Condition, conditionOn, not } from '../../../src/lib/table/condition/condition.ts';
import { OPERATORS, operatorsOf } from '../../../src/lib/table/condition/operators.ts';
import { fold } from '../../../src/lib/table/text/case-folding.ts';
import { localDateTime } from '../../../src/service/todo/local-date-time.ts';
import { LONG, Random, SEED } from '../../lib/table/support/random.ts';
import { sqlOf, sqlValue } from '../../lib/table/support/sql.ts';
import { Client } from '../../support/client.ts';
import { startApp, VARIANTS } from '../../support/service.ts';

const SKIPPED =
  Number(process.versions.node.split('.')[0]) < 24 && 'node:sqlite needs Node 24 or newer';

const QUERIES = LONG ? 3000 : 60;
const ITEMS = 60;

const WORDS = ['', 'a', 'B', 'ab', 'Straße', '100%', 'x_y', 'back\\slash', '東京', '😀'] as const;
const PATTERNS = ['%', 'a%', '%b', '_', 'x\\_y', '%\\%', '東_'] as const;

/** A random condition: as a client writes it, and as the engine knows it. */
interface Twin {
  readonly json: string;
  readonly condition: Condition;
}

for (const variant of VARIANTS) {
  const { name, fields, api } = variant;
  const isBig = fields.id.kind === 'bigint';
  const firstId = isBig ? 2n ** 53n - 20n : 1;
  const columns: readonly string[] = Object.keys(fields);

  describe(`conditions over HTTP, variant ${name.toUpperCase()}`, { skip: SKIPPED }, () => {
    it(`agree with SQLite (seed ${SEED})`, async (test) => {
      const random = new Random(SEED);
      const { baseUrl } = await startApp(test, variant, { table: { firstId } });
      const client = new Client(baseUrl);
      test.after(() => client.close());
      const { DatabaseSync } = await import('node:sqlite');
      const database = new DatabaseSync(':memory:');
      test.after(() => database.close());
      database.function('fold', { deterministic: true }, (text) =>
        typeof text === 'string' ? fold(text) : null,
      );
      database.exec('pragma case_sensitive_like = on');
      database.exec(`create table todo (${columns.join(', ')}, primary key (id))`);

      const literal = (
        column: string,
      ): { json: string; value: string | number | bigint | boolean } => {
        switch (column) {
          case 'id': {
            const value = isBig
              ? BigInt(firstId) + BigInt(random.below(ITEMS))
              : 1 + random.below(ITEMS);
            return { json: String(value), value };
          }
          case 'priority': {
            const value = random.below(7);
            return { json: String(value), value };
          }
          case 'completed': {
            const value = random.chance(2);
            return { json: String(value), value };
          }
          case 'createdAt': {
            const value = localDateTime(new Date());
            return { json: JSON.stringify(value), value };
          }
          default: {
            const value = random.pick(WORDS);
            return { json: JSON.stringify(value), value };
          }
        }
      };

      const leaf = (): Twin => {
        const column = random.pick([
          'id',
          'title',
          'description',
          'priority',
          'completed',
          columns.at(-1) ?? 'id',
        ]);
        const field = fields[column];
        assert.ok(field);
        const [first = 'eq', ...others] = operatorsOf(field).filter((op) => op !== 'between');
        const op = random.pick([first, ...others]);
        const wrap = (operand: string) => `{"${column}":{"${op}":${operand}}}`;
        const { takes } = OPERATORS[op];
        if (takes === 'nothing') {
          const condition = conditionOn(column, op, []);
          const isPlain = random.chance(2);
          return { json: wrap(String(isPlain)), condition: isPlain ? condition : not(condition) };
        }
        if (takes === 'values') {
          const operands = random.list(3, () => literal(column));
          const json = wrap(`[${operands.map((each) => each.json).join()}]`);
          return {
            json,
            condition: conditionOn(
              column,
              op,
              operands.map(({ value }) => value),
            ),
          };
        }
        if (op === 'like') {
          const value = random.pick(PATTERNS);
          return { json: wrap(JSON.stringify(value)), condition: conditionOn(column, op, [value]) };
        }
        const { json, value } = literal(column);
        const isShort = op === 'eq' && random.chance(2);
        return {
          json: isShort ? `{"${column}":${json}}` : wrap(json),
          condition: conditionOn(column, op, [value]),
        };
      };

      const tree = (depth: number): Twin => {
        if (depth === 0 || random.chance(3)) return leaf();
        if (random.chance(3)) {
          const { json, condition } = tree(depth - 1);
          return { json: `{"not":${json}}`, condition: not(condition) };
        }
        const op = random.pick<'and' | 'or'>(['and', 'or']);
        const parts = random.list(3, () => tree(depth - 1));
        return {
          json: `{"${op}":[${parts.map(({ json }) => json).join()}]}`,
          condition: { op, conditions: parts.map(({ condition }) => condition) },
        };
      };

      /** Creates items until there are enough of them, in both. */
      const insert = database.prepare(
        `insert into todo values (${columns.map(() => '?').join(', ')})`,
      );
      let count = 0;
      const fill = async () => {
        for (; count < ITEMS; count++) {
          const isNull = isBig && random.chance(3);
          const answer = await client.post(api.collection, {
            title: `${random.pick(WORDS)}${random.pick(WORDS)}.`,
            description: isNull ? null : random.pick(WORDS),
            priority: 1 + random.below(5),
            completed: false,
          });
          assert.equal(answer.status, 201, answer.text);
          const item = answer.json<Record<string, string | number | boolean | null>>();
          // JSON.parse would round the id.
          const id = BigInt(/"id":(\d+)/.exec(answer.text)?.[1] ?? 0);
          insert.run(
            ...columns.map((column) => (column === 'id' ? id : sqlValue(item[column] ?? null))),
          );
        }
      };
      const idsIn = (text: string) =>
        [...text.matchAll(/"id":(\d+)/g)].map(([, id = '0']) => BigInt(id));

      for (let i = 0; i < QUERIES; i++) {
        await fill();
        const { json, condition } = tree(4);
        const { text, values } = sqlOf(condition);
        const select = database.prepare(`select id from todo where ${text} order by id`);
        select.setReadBigInts(true);
        const expected = select.all(...values).map(({ id }) => id);
        const what = `seed ${SEED}: ${json}`;
        const headers = { 'content-type': 'application/json' };
        const body = `{"where":${json}}`;
        const queried = await client.request('QUERY', api.collection, { headers, body });
        assert.deepEqual(idsIn(queried.text), expected, `QUERY, ${what}`);
        const target = `${api.collection}?where=${encodeURIComponent(json)}`;
        assert.equal((await client.get(target)).text, queried.text, `GET, ${what}`);
        if (!random.chance(5)) continue;
        const deleted = await client.delete(target);
        assert.equal(deleted.text, JSON.stringify({ deleted: expected.length }), `DELETE, ${what}`);
        database.prepare(`delete from todo where ${text}`).run(...values);
        count -= expected.length;
        const ids = database.prepare('select id from todo order by id');
        ids.setReadBigInts(true);
        const left = (await client.get(api.collection)).text;
        assert.deepEqual(
          idsIn(left),
          ids.all().map(({ id }) => id),
          `after ${what}`,
        );
      }
    });
  });
}
