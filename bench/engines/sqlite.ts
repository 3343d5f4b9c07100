import type { Row } from '../lib/rows.ts';
import type { Engine } from './engine.ts';

/** The part of `node:sqlite` that is used here. */
interface Statement {
  all(...values: unknown[]): Record<string, unknown>[];
  get(...values: unknown[]): Record<string, unknown>;
  run(...values: unknown[]): unknown;
}
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

// Imported by a variable, because the types of Node 20 lack it.
const moduleName: string = 'node:sqlite';
const { DatabaseSync }: { DatabaseSync: new (path: string) => Database } = await import(moduleName);

/** SQLite in memory; every statement is prepared once. */
abstract class Sqlite implements Engine {
  readonly #database = new DatabaseSync(':memory:');
  readonly #insert: Statement;
  readonly #get: Statement;
  readonly #search: Statement;
  readonly #remove: Statement;
  readonly #size: Statement;

  constructor(create: string, id: string, where: string) {
    this.#database.exec(create);
    this.#insert = this.#database.prepare(
      'INSERT INTO todo (title, description, completed, priority) VALUES (?, ?, ?, ?)',
    );
    const columns = `${id} AS id, title, description, completed, priority`;
    this.#get = this.#database.prepare(`SELECT ${columns} FROM todo WHERE ${id} = ?`);
    this.#search = this.#database.prepare(`SELECT ${columns} FROM todo WHERE ${where}`);
    this.#remove = this.#database.prepare(`DELETE FROM todo WHERE ${where}`);
    this.#size = this.#database.prepare('SELECT count(*) AS rows FROM todo');
  }

  /** The values of the condition's parameters. */
  protected abstract operands(needle: string): unknown[];

  /** In one transaction, which is far cheaper in SQLite than one per row. */
  insert(rows: readonly Row[]): void {
    this.#database.exec('BEGIN');
    for (const { title, description, completed, priority } of rows) {
      this.#insert.run(title, description, completed ? 1 : 0, priority);
    }
    this.#database.exec('COMMIT');
  }

  get(id: number): unknown {
    return this.#get.get(id);
  }

  search(needle: string): readonly unknown[] {
    return this.#search.all(...this.operands(needle));
  }

  remove(needle: string): void {
    this.#remove.run(...this.operands(needle));
  }

  size(): number {
    return Number(this.#size.get().rows);
  }

  nativeBytes(): number {
    const { page_count: pages } = this.#database.prepare('PRAGMA page_count').get();
    const { page_size: size } = this.#database.prepare('PRAGMA page_size').get();
    return Number(pages) * Number(size);
  }

  close(): void {
    this.#database.close();
  }
}

/** A plain table, searched with LIKE, as most programs would do first. */
export class SqliteLike extends Sqlite {
  constructor() {
    super(
      `CREATE TABLE todo (id INTEGER PRIMARY KEY, title TEXT NOT NULL, description TEXT NOT NULL,
         completed INTEGER NOT NULL, priority INTEGER NOT NULL)`,
      'id',
      'title LIKE ? OR description LIKE ?',
    );
  }

  protected operands(needle: string): unknown[] {
    return [`%${needle}%`, `%${needle}%`];
  }
}

/** A full-text table of trigrams, which finds substrings of three or more characters. */
export class SqliteTrigram extends Sqlite {
  constructor() {
    super(
      `CREATE VIRTUAL TABLE todo USING fts5(title, description, completed UNINDEXED, priority UNINDEXED,
         tokenize = 'trigram')`,
      'rowid',
      'todo MATCH ?',
    );
  }

  protected operands(needle: string): unknown[] {
    return [`"${needle}"`];
  }
}
