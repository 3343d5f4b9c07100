import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Condition, or } from '../../../../../src/lib/table/condition/condition.ts';
import type { Order } from '../../../../../src/lib/table/query/search-options.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { charactersOf } from '../support/costs.ts';
import { found } from '../support/reference.ts';
import { assertSame } from '../support/rows.ts';
import { impatient } from '../support/tables.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 99_999 } },
  text: { kind: 'text' },
  priority: { kind: 'integer', default: 0 },
} as const satisfies Schema;

const ROWS = 160;
const LENGTH = 1000;

/** What a step may examine: a sorted run, whose characters are compared several times, in pairs. */
const MOST = 2_000_000;

/** A text of 1,000 of a character, but for its end. */
const repeated = (character: string) => (i: number) =>
  character.repeat(LENGTH - 3) + ((i * 7919) % ROWS);

function filled(text: (i: number) => string) {
  const table = new Table(schema, { clock: impatient() });
  for (let i = 0; i < ROWS; i++) table.insert({ text: text(i) });
  return table;
}

describe('the folding of long texts', () => {
  for (const character of ['Ω', 'ß', 'İ', 'ﬃ', 'A', 'a', '𐐀', '日', '😀']) {
    const text = repeated(character);

    it(`is made one time, in proportion to their length: ${character}`, () => {
      const examined = charactersOf(() => filled(text));
      const characters = ROWS * text(0).length;
      assert.ok(examined >= characters && examined <= 6 * characters, `${examined} characters`);
    });

    it(`is made one time if all rows get the same text: ${character}`, () => {
      const table = filled(() => '');
      const change = () => table.modify((t) => [t.id.gt(0)], { text: text(7) });
      const examined = charactersOf(change);
      assert.ok(examined <= 6 * text(7).length, `${examined} characters`);
    });

    it(`is shared by versions with the same text: ${character}`, () => {
      const table = filled(text);
      const changes = () => {
        table.update(1, { priority: 1 });
        table.modify((t) => [t.id.gt(0)], { priority: 2 });
      };
      assert.equal(charactersOf(changes), 0);
    });
  }
});

describe('a step examines few characters of long texts, and folds none of a row', () => {
  const containing = (value: string): Condition => ({
    ...{ op: 'containsIgnoreCase', column: 'text' },
    value,
  });
  const nowhere = Array.from({ length: 100 }, (_, i) => containing(`nowhere ${i}`));
  const ignoring = { column: 'text', ignoreCase: true } as const;

  for (const character of ['ﬃ', 'A']) {
    const table = filled(repeated(character));
    const rows = table.search();
    for (const [what, where, orderBy] of [
      ['an order', [], [{ column: 'text' }]],
      ['an order without case', [], [{ ...ignoring, direction: 'desc' }]],
      ['a search', [containing('I77')], []],
      ['a hundred searches', [or(...nowhere)], []],
      ['a comparison', [{ op: 'gt', column: 'text', value: repeated(character)(99) }], []],
    ] as readonly (readonly [string, readonly Condition[], readonly Order<'text'>[]])[]) {
      it(`${what}: ${character}`, () => {
        const cursor = table.cursor(where, { orderBy });
        const result: (typeof rows)[number][] = [];
        let isDone: boolean | undefined = false;
        while (!isDone) {
          const examined = charactersOf(() => {
            const { done, value } = cursor.next();
            isDone = done;
            result.push(...(value ?? []));
          });
          assert.ok(examined <= MOST, `${examined} characters`);
        }
        assertSame(result, found(rows, where, { orderBy }));
      });
    }
  }
});
