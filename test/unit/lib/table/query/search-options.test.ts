import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  checkOptions,
  type Order,
  type SearchOptions,
} from '../../../../../src/lib/table/query/search-options.ts';
import { resolveSchema } from '../../../../../src/lib/table/schema/resolved-schema.ts';

const layout = resolveSchema({
  id: { kind: 'integer', identity: { from: 1, to: 9 } },
  title: { kind: 'text' },
  size: { kind: 'integer' },
});

describe('the options of a search', () => {
  const columnsOf = (...orderBy: Order[]) =>
    checkOptions(layout, { orderBy }).orderBy.map(
      ({ column, direction, ignoreCase }) =>
        `${column} ${direction}${ignoreCase ? ' ignoring case' : ''}`,
    );
  const [id, title, size] = [{ column: 'id' }, { column: 'title' }, { column: 'size' }];

  test('have each key of an order one time, and none after the id', () => {
    const folding = { ...title, ignoreCase: true };
    const many = Array.from({ length: 680 }, (_, i) => (i % 2 ? size : title));
    for (const [given, expected] of [
      [
        [title, size, { ...title, direction: 'desc' }],
        ['title asc', 'size asc'],
      ],
      [many, ['title asc', 'size asc']],
      [
        [title, { ...id, direction: 'desc' }, size],
        ['title asc', 'id desc'],
      ],
      [[title, id, size], ['title asc']],
      [
        [folding, folding, { ...title, direction: 'desc' }, title],
        ['title asc ignoring case', 'title desc'],
      ],
      [
        [title, folding],
        ['title asc', 'title asc ignoring case'],
      ],
      [[id], []],
    ] as const) {
      assert.deepEqual(columnsOf(...given), expected);
    }
    assert.throws(() => columnsOf(id, { column: 'nothing' }), { name: 'ConditionError' });
  });

  const refused: readonly (readonly [options: SearchOptions, message: RegExp])[] = [
    ...[-1, 0.5, Number.NaN].flatMap((count) => [
      [{ limit: count }, /^"limit" must be an integer, zero or more$/] as const,
      [{ offset: count }, /^"offset" must be an integer, zero or more$/] as const,
    ]),
    [{ orderBy: [{ column: 'nothing' }] }, /^there is no column "nothing" to order by$/],
    [
      { orderBy: [{ ...size, ignoreCase: true }] },
      /^column "size" is integer: only text has a case to ignore$/,
    ],
  ];

  for (const [options, message] of refused) {
    test(`are refused: ${JSON.stringify(options)}`, () => {
      assert.throws(() => checkOptions(layout, options), { name: 'ConditionError', message });
    });
  }
});
