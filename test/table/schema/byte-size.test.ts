import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Schema } from '../../../src/table/schema/column.ts';
import { PAGE_SIZE } from '../../../src/table/storage/page.ts';
import { Table } from '../../../src/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 9 } },
  text: { kind: 'text', nullable: true },
  size: { kind: 'bigint', nullable: true },
  rank: { kind: 'integer', nullable: true },
  flag: { kind: 'boolean', nullable: true },
} as const satisfies Schema;

describe('the bytes of a value, on top of those of null', () => {
  for (const [what, values, bytes] of [
    ['an integer', { rank: 2 ** 31 - 1 }, 0],
    ['a boolean', { flag: true }, 0],
    ['a bigint', { size: 2n ** 63n - 1n }, 24],
    ['no text', { text: '' }, 0],
    ['a letter', { text: 'a' }, 16 + 8],
    ['eight letters, each a byte', { text: 'abcdefgÿ' }, 16 + 8],
    ['nine letters', { text: 'abcdefghi' }, 16 + 16],
    ['four letters, each two bytes', { text: 'abcĀ' }, 16 + 8],
    ['five letters, each two bytes', { text: '日本語日本' }, 16 + 16],
  ] as const) {
    test(`${what}: ${bytes}`, () => {
      const table = new Table(schema);
      table.insert({});
      const bytesOfRows = () => table.stats().bytes.rows;
      const before = bytesOfRows();
      table.update(1, values);
      assert.equal(bytesOfRows() - before, bytes);
      table.insert(values);
      const two = bytesOfRows();
      table.insert({});
      assert.equal(two - before - bytes, bytesOfRows() - two + bytes);
      table.update(1, { text: null, size: null, rank: null, flag: null });
      table.delete(2);
      table.delete(3);
      assert.equal(bytesOfRows(), before);
    });
  }
});

test('a folded text takes bytes of its own where it is not ASCII and differs from the text', () => {
  const table = new Table({ ...schema, text: { ...schema.text, index: 'substring' } } as const);
  table.insert({});
  const texts = (text: string | null) => {
    table.update(1, { text });
    return table.stats().bytes.texts;
  };
  for (const text of ['', 'lower case', 'Upper case', '日本', null]) assert.equal(texts(text), 0);
  assert.equal(texts('ΑΒΓΔ'), 16 + 8);
  assert.equal(texts('straße'), 16 + 8);
  table.delete(1);
  assert.equal(table.stats().bytes.texts, 0);
});

test('folded texts take room in a page from the first text on that is not ASCII', () => {
  const table = new Table({ ...schema, text: { ...schema.text, index: 'substring' } } as const);
  const bytesOfRows = () => table.stats().bytes.rows;
  table.insert({ text: 'Upper case' });
  const inAscii = bytesOfRows();
  table.update(1, { text: 'straße' });
  assert.equal(bytesOfRows() - inAscii, 48 + PAGE_SIZE * 8 - 8);
  table.update(1, { text: 'Upper case' });
  assert.equal(bytesOfRows() - inAscii, 48 + PAGE_SIZE * 8);
  table.delete(1);
  assert.equal(bytesOfRows(), 0);
});
