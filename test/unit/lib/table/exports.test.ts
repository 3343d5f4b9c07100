import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('../../../../src/lib/table', import.meta.url));

/** A program that knows the table by its index.ts alone. */
const BOOKS = `
import { EmptyConditionError, or, Table } from './table/index.ts';

const books = new Table({
  isbn: { kind: 'bigint', identity: { from: 1n, to: 9_999_999_999_999n } },
  title: { kind: 'text', index: 'substring' },
  author: { kind: 'text', index: 'ordered' },
  lent: { kind: 'timestamp', nullable: true, index: 'ordered' },
});
const titles = (rows) => Array.from(rows, ({ title }) => title).join(', ');

books.insert({ title: 'Middlemarch', author: 'George Eliot' });
books.insert({ title: 'emma', author: 'Jane Austen', lent: '2026-11-20T09:30:00.000' });
books.insert({ title: 'Persuasion', author: 'Jane Austen' });

console.log(titles(books.search((book) => [or(book.title.contains('arch'), book.lent.isNull())])));
console.log(titles(books.cursor([], { orderBy: [{ column: 'title', ignoreCase: true }] })));
console.log(books.modify((book) => [book.author.startsWith('Jane')], { lent: null }));
try {
  books.remove([]);
} catch (error) {
  console.log(error instanceof EmptyConditionError, books.size, books.version);
}
`;

const PRINTED = `Middlemarch, Persuasion
emma, Middlemarch, Persuasion
2
true 3 4
`;

describe('the library of tables', () => {
  test('needs nothing but itself: a table of books', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'books-'));
    try {
      cpSync(FOLDER, join(outside, 'table'), { recursive: true });
      writeFileSync(join(outside, 'package.json'), '{ "type": "module" }');
      writeFileSync(join(outside, 'books.ts'), BOOKS);
      const args = ['--import', import.meta.resolve('tsx'), 'books.ts'];
      const run = promisify(execFile);
      assert.equal((await run(process.execPath, args, { cwd: outside })).stdout, PRINTED);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test('does not mention its users', () => {
    for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(ts|md)$/.test(file)) continue;
      assert.doesNotMatch(readFileSync(join(FOLDER, file), 'utf8'), /to-?do/i, file);
    }
  });
});
