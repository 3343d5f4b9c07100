import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 9 } },
  text: { kind: 'text', nullable: true },
  size: { kind: 'bigint', nullable: true },
  rank: { kind: 'integer', nullable: true },
  flag: { kind: 'boolean', nullable: true },
} as const satisfies Schema;

describe('the bytes of a row', () => {
  it('are eight for each column, on top of its values', () => {
    const { flag: _, ...fewer } = schema;
    const [all, most] = [schema, fewer].map((columns) => {
      const table = new Table(columns);
      table.insert({});
      return table.bytes;
    });
    assert.equal(Number(all) - Number(most), 8);
  });

  it('are the same whether it was inserted or changed, and are not changed by a search', () => {
    const [inserted, changed] = [new Table(schema), new Table(schema)];
    inserted.insert({ text: 'STRASSE', size: 2n ** 60n, rank: 7 });
    changed.insert({ text: 'Straße', size: 1n });
    changed.update(1, { text: 'STRASSE', size: 2n ** 60n });
    changed.update(1, { rank: 7 });
    changed.search((t) => [t.text.containsIgnoreCase('straße')], {
      orderBy: [{ column: 'text', ignoreCase: true }],
    });
    assert.equal(changed.bytes, inserted.bytes);
    for (const table of [inserted, changed]) table.update(1, { text: null });
    inserted.insert({ text: 'strasse' });
    changed.insert({ text: 'STRASSE' });
    changed.update(2, { text: 'strasse' });
    assert.equal(changed.bytes, inserted.bytes, 'a text that is its own folding now');
  });
});

describe('the bytes of a value, on top of those of null', () => {
  for (const [what, values, bytes] of [
    ['an integer', { rank: 2 ** 31 - 1 }, 0],
    ['a boolean', { flag: true }, 0],
    ['a small integer of 64 bits', { size: 6 }, 0],
    ['an integer of 32 bits or more', { size: 2 ** 31 }, 16],
    ['a bigint', { size: 2n ** 63n - 1n }, 24],
    ['no text', { text: '' }, 0],
    ['a letter', { text: 'a' }, 16 + 8],
    ['eight letters, each a byte', { text: 'abcdefgÿ' }, 16 + 8],
    ['nine letters', { text: 'abcdefghi' }, 16 + 16],
    ['four letters, each two bytes', { text: 'abcā' }, 16 + 8],
    ['five letters, each two bytes', { text: '日本語日本' }, 16 + 16],
    ['a capital letter, and its folding', { text: 'A' }, 2 * (16 + 8)],
    ['eight micro signs, whose foldings have two bytes', { text: 'µµµµµµµµ' }, 16 + 8 + 16 + 16],
    ['a letter that folds to several', { text: 'ßßßßß' }, 16 + 8 + 16 + 16],
  ] as const) {
    it(`${what}: ${bytes}`, () => {
      const table = new Table(schema);
      table.insert({});
      const before = table.bytes;
      table.update(1, values);
      assert.equal(table.bytes - before, bytes);
    });
  }
});
