import { type Column, type Engine, PAGE_SIZE, type Page, type Values } from './engine.ts';

/** The part of `node:sqlite` that is used here. */
interface Statement {
  all(...values: unknown[]): Record<string, unknown>[];
  get(...values: unknown[]): Record<string, unknown>;
  run(...values: unknown[]): unknown;
}
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
}

const COLUMNS = 'title, description, completed, priority, ascending, equal, random';
/** Trigrams find terms of at least this length. */
const TRIGRAM = 3;

const CREATE = `
  CREATE TABLE todo (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, description TEXT NOT NULL, completed INTEGER NOT NULL,
    priority INTEGER NOT NULL, ascending TEXT NOT NULL, equal TEXT NOT NULL, random TEXT NOT NULL);
  CREATE INDEX by_completed ON todo (completed, priority);
  CREATE INDEX by_priority ON todo (priority);
  CREATE INDEX by_ascending ON todo (ascending);
  CREATE INDEX by_equal ON todo (equal);
  CREATE INDEX by_random ON todo (random);
  CREATE VIRTUAL TABLE grams USING fts5 (
    title, description, content = todo, content_rowid = id, tokenize = 'trigram');
  CREATE TRIGGER insert_grams AFTER INSERT ON todo BEGIN
    INSERT INTO grams (rowid, title, description) VALUES (new.id, new.title, new.description);
  END;
  CREATE TRIGGER update_grams AFTER UPDATE OF title ON todo BEGIN
    INSERT INTO grams (grams, rowid, title, description)
      VALUES ('delete', old.id, old.title, old.description);
    INSERT INTO grams (rowid, title, description) VALUES (new.id, new.title, new.description);
  END;
  BEGIN`;

/**
 * SQLite in memory, with the same indexes, and one of trigrams for searches. All statements are
 * prepared one time, and all writes are in one transaction.
 */
export class Sqlite implements Engine {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();

  private constructor(database: Database) {
    this.#database = database;
    database.exec(CREATE);
  }

  /** Returns a function that creates empty tables. @throws Error if this Node has no `node:sqlite` */
  static async load(): Promise<() => Sqlite> {
    // A variable, because the types of Node 20 lack the module.
    const name: string = 'node:sqlite';
    const module: { DatabaseSync: new (path: string) => Database } = await import(name);
    return () => new Sqlite(new module.DatabaseSync(':memory:'));
  }

  insert(values: Values): void {
    const { title, description, completed, priority, ascending, equal, random } = values;
    const flag = Number(completed);
    this.#prepared(`INSERT INTO todo (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`).run(
      ...[title, description, flag, priority, ascending, equal, random],
    );
  }

  get(id: number): unknown {
    return this.#prepared('SELECT * FROM todo WHERE id = ?').get(id);
  }

  setFlag(id: number, value: boolean): void {
    this.#prepared('UPDATE todo SET completed = ? WHERE id = ?').run(Number(value), id);
  }

  setTitle(id: number, title: string): void {
    this.#prepared('UPDATE todo SET title = ? WHERE id = ?').run(title, id);
  }

  search(term: string): readonly unknown[] {
    return this.#found(term, '');
  }

  searchCompleted(term: string): readonly unknown[] {
    return this.#found(term, ' AND completed = 1');
  }

  countUrgent(): number {
    const sql = 'SELECT count(*) AS rows FROM todo WHERE completed = 1 AND priority >= 4';
    return Number(this.#prepared(sql).get().rows);
  }

  page({ by, isDescending = false, isFiltered = false, offset = 0 }: Page): readonly unknown[] {
    const where = isFiltered ? 'WHERE completed = 1' : '';
    const order = `${by} ${isDescending ? 'DESC' : 'ASC'}, id`;
    const sql = `SELECT * FROM todo ${where} ORDER BY ${order} LIMIT ${PAGE_SIZE} OFFSET ?`;
    return this.#prepared(sql).all(offset);
  }

  list(by: Column): readonly unknown[] {
    return this.#prepared(`SELECT * FROM todo ORDER BY ${by}, id`).all();
  }

  setUrgentFlags(value: boolean): void {
    this.#prepared('UPDATE todo SET completed = ? WHERE priority >= 4').run(Number(value));
  }

  #found(term: string, and: string): readonly unknown[] {
    if (term.length < TRIGRAM) {
      const sql = `SELECT * FROM todo WHERE (title LIKE ? OR description LIKE ?)${and}`;
      return this.#prepared(sql).all(`%${term}%`, `%${term}%`);
    }
    const sql = `SELECT todo.* FROM grams JOIN todo ON todo.id = grams.rowid WHERE grams MATCH ?${and}`;
    return this.#prepared(sql).all(`"${term}"`);
  }

  #prepared(sql: string): Statement {
    const found = this.#statements.get(sql);
    if (found) return found;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
