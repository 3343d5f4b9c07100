import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clock } from '../../../../src/lib/clock.ts';
import {
  and,
  type Condition,
  conditionOn,
  not,
  or,
} from '../../../../src/lib/table/condition/condition.ts';
import { OPERATORS, operatorsOf } from '../../../../src/lib/table/condition/operators.ts';
import type { StoredRow } from '../../../../src/lib/table/schema/column.ts';
import { localDateTime } from '../../../../src/service/resource/date-time.ts';
import type { Variant } from '../../../../src/service/todo/variant.ts';
import { assertProblem } from '../../../api/suite.ts';
import { startApp, VARIANTS } from '../../../support/service.ts';
import { LONG, Random, SEED } from '../../lib/table/support/random.ts';
import { found } from '../../lib/table/support/reference.ts';
import { idsOf } from '../../lib/table/support/rows.ts';

/** How many queries. */
const QUERIES = LONG ? 3000 : 60;
const ITEMS = 60;

const WORDS = ['', 'a', 'B', 'ab', 'Straße', '100%', 'x_y', 'back\\slash', '東京', '😀'] as const;

/** A random condition: as a client writes it, and in terms of the columns of the rows. */
interface Twin {
  readonly json: string;
  readonly condition: Condition;
  /** Whether it has an empty operand, which writes refuse. */
  readonly hasEmpty: boolean;
}

/** The column that has a date-time with nine digits of its fraction. */
const EXACT = 'createdAtExactly';

/** A random date-time as clients write it, and the first and the last moment that it means. */
function dateTimeAround(moment: Date, random: Random) {
  const local = localDateTime(moment) ?? assert.fail('the year has four digits');
  const length = random.pick([10, 16, 19, 21, 22, 23]);
  const more = length === 23 ? random.pick(['', '0', '4', '000000', '9999999999']) : '';
  const whole = local.slice(0, length);
  const from = `${whole}${'0000-00-00T00:00:00.000000000'.slice(whole.length)}`;
  const isMoment = length > 19;
  const to = isMoment ? from : `${whole}${'0000-00-00T23:59:59.999999999'.slice(whole.length)}`;
  // The offset of a zone by whole minutes, unless the time of day is missing.
  const offset = -moment.getTimezoneOffset() + random.below(2 * 720) - 720;
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
  if (length === 10 || random.chance(2) || hours > 23) return { text: whole + more, from, to };
  const shown = new Date(moment.getTime() + offset * 60_000).toISOString().slice(0, length);
  const zone = [hours, minutes].map((part) => String(part).padStart(2, '0')).join(':');
  return { text: `${shown}${more}${offset < 0 ? '-' : random.pick(['+', ' '])}${zone}`, from, to };
}

/** The operators that every text satisfies if their operand is empty. */
const TRUE_OF_EMPTY: readonly string[] = [
  ...['contains', 'containsIgnoreCase', 'startsWith', 'endsWith', 'gte'],
];

for (const variant of VARIANTS) compare(variant);

function compare(variant: Variant): void {
  const { name, fields, api } = variant;
  const isBig = fields.id.kind === 'bigint';
  const firstId = isBig ? 2n ** 53n - 20n : 1;

  describe(`conditions over HTTP, variant ${name.toUpperCase()}`, () => {
    it(`select the items that a look at each item finds (seed ${SEED})`, async (test) => {
      const random = new Random(SEED);
      // The deleted item of the seed decides the first id.
      const seed = isBig ? [{ id: BigInt(firstId) - 1n, title: '' }] : [];
      const { client } = await startApp(test, variant, { seed, table: { maxRows: 1000 } });
      await client.request('DELETE', `${api.collection}?where=%7B%7D`);
      // Items are made over some days.
      const moments = [new Date()];
      test.mock.method(clock, 'time', () => {
        const moment = new Date(Date.UTC(2026, 10, 24) + random.below(3 * 86_400_000));
        moments.push(moment);
        return moment.getTime();
      });

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
          default: {
            const value = random.pick(WORDS);
            return { json: JSON.stringify(value), value };
          }
        }
      };

      const timeLeaf = (column: string): Twin => {
        const around = () =>
          dateTimeAround(moments[random.below(moments.length)] ?? new Date(), random);
        const op = random.pick(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'notIn']);
        const isList = op === 'in' || op === 'notIn';
        const operands = isList ? random.list(3, around) : [around()];
        const texts = operands.map(({ text }) => JSON.stringify(text)).join();
        const json = `{"${column}":{"${op}":${isList ? `[${texts}]` : texts}}}`;
        const within = or(
          ...operands.map(({ from, to }) =>
            and(conditionOn(EXACT, 'gte', [from]), conditionOn(EXACT, 'lte', [to])),
          ),
        );
        const [{ from, to } = around()] = operands;
        const hasEmpty = operands.length === 0;
        switch (op) {
          case 'eq':
          case 'in':
            return { json, condition: within, hasEmpty };
          case 'ne':
          case 'notIn':
            return { json, condition: not(within), hasEmpty };
          case 'lt':
          case 'gte':
            return { json, condition: conditionOn(EXACT, op, [from]), hasEmpty };
          case 'gt':
          case 'lte':
            return { json, condition: conditionOn(EXACT, op, [to]), hasEmpty };
          default:
            return assert.fail(op);
        }
      };

      const leaf = (): Twin => {
        const column = random.pick([
          'id',
          'title',
          'description',
          'priority',
          'completed',
          fields.createdAt ? 'createdAt' : 'id',
        ]);
        const field = fields[column];
        assert.ok(field);
        if (field.kind === 'timestamp') return timeLeaf(column);
        const [first = 'eq', ...others] = operatorsOf(field);
        const op = random.pick([first, ...others]);
        const wrap = (operand: string) => `{"${column}":{"${op}":${operand}}}`;
        const { takes } = OPERATORS[op];
        if (takes === 'nothing') {
          const condition = conditionOn(column, op, []);
          const isPlain = random.chance(2);
          return {
            json: wrap(String(isPlain)),
            condition: isPlain ? condition : not(condition),
            hasEmpty: false,
          };
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
            hasEmpty: operands.length === 0,
          };
        }
        const { json, value } = literal(column);
        const isShort = op === 'eq' && random.chance(2);
        return {
          json: isShort ? `{"${column}":${json}}` : wrap(json),
          condition: conditionOn(column, op, [value]),
          hasEmpty: value === '' && TRUE_OF_EMPTY.includes(op),
        };
      };

      const tree = (depth: number): Twin => {
        if (depth === 0 || random.chance(3)) return leaf();
        if (random.chance(3)) {
          const { json, condition, hasEmpty } = tree(depth - 1);
          return { json: `{"not":${json}}`, condition: not(condition), hasEmpty };
        }
        const op = random.pick<'and' | 'or'>(['and', 'or']);
        const parts = random.list(3, () => tree(depth - 1));
        return {
          json: `{"${op}":[${parts.map(({ json }) => json).join()}]}`,
          condition: { op, conditions: parts.map(({ condition }) => condition) },
          hasEmpty: parts.length === 0 || parts.some((part) => part.hasEmpty),
        };
      };

      /** The items, in order of id. */
      let rows: (StoredRow & { readonly id: bigint })[] = [];
      /** Creates items until there are enough of them. */
      const fill = async () => {
        while (rows.length < ITEMS) {
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
          const [id = 0n] = idsIn(answer.text);
          rows.push({ ...item, id, [EXACT]: `${item.createdAt}000000` });
        }
      };
      const idsIn = (text: string) =>
        [...text.matchAll(/"id":(\d+)/g)].map(([, id = '0']) => BigInt(id));

      for (let i = 0; i < QUERIES; i++) {
        await fill();
        const { json, condition, hasEmpty } = tree(4);
        const expected = found(rows, [condition]);
        const what = `seed ${SEED}: ${json}`;
        const headers = { 'content-type': 'application/json' };
        const target = `${api.collection}?where=${encodeURIComponent(json)}`;
        assert.deepEqual(idsIn((await client.get(target)).text), idsOf(expected), `GET, ${what}`);
        if (random.chance(4)) {
          const priority = 1 + random.below(5);
          const patch = JSON.stringify({ priority });
          const patched = await client.request('PATCH', target, { headers, body: patch });
          if (hasEmpty) assertProblem(patched, 400, 'invalid-parameter');
          else {
            const updated = JSON.stringify({ updated: expected.length });
            assert.equal(patched.text, updated, `PATCH, ${what}`);
            rows = rows.map((row) => (expected.includes(row) ? { ...row, priority } : row));
            continue;
          }
        }
        if (!random.chance(5)) continue;
        const deleted = await client.delete(target);
        if (hasEmpty) {
          assertProblem(deleted, 400, 'invalid-parameter');
          continue;
        }
        assert.equal(deleted.text, JSON.stringify({ deleted: expected.length }), `DELETE, ${what}`);
        rows = rows.filter((row) => !expected.includes(row));
        const left = (await client.get(api.collection)).text;
        assert.deepEqual(idsIn(left), idsOf(rows), `after ${what}`);
      }
    });
  });
}
