import { requirePeer } from '../lib/peers.ts';
import type { Row } from '../lib/rows.ts';
import type { Engine } from './engine.ts';

type Statement = (values: readonly unknown[]) => unknown;

/** The part of alasql that is used here. */
interface Alasql {
  exec(sql: string): unknown;
  compile(sql: string): Statement;
}

const alasql: Alasql = requirePeer('alasql');

let tables = 0;

/**
 * alasql; every statement is compiled once. It has a single current database, where each of these
 * has its own table.
 */
export class AlaSql implements Engine {
  readonly #table = `todo${++tables}`;
  readonly #insert: Statement;
  readonly #get: Statement;
  readonly #search: Statement;
  readonly #remove: Statement;
  readonly #size: Statement;
  #lastId = 0;

  constructor() {
    const table = this.#table;
    alasql.exec(
      `CREATE TABLE ${table} (id INT PRIMARY KEY, title STRING, description STRING, completed BOOLEAN, priority INT)`,
    );
    const where = 'title LIKE ? OR description LIKE ?';
    this.#insert = alasql.compile(`INSERT INTO ${table} SELECT * FROM ?`);
    this.#get = alasql.compile(`SELECT * FROM ${table} WHERE id = ?`);
    this.#search = alasql.compile(`SELECT * FROM ${table} WHERE ${where}`);
    this.#remove = alasql.compile(`DELETE FROM ${table} WHERE ${where}`);
    this.#size = alasql.compile(`SELECT VALUE COUNT(*) FROM ${table}`);
  }

  insert(rows: readonly Row[]): void {
    this.#insert([rows.map((row) => ({ id: ++this.#lastId, ...row }))]);
  }

  get(id: number): unknown {
    const found = this.#get([id]);
    return Array.isArray(found) ? found[0] : undefined;
  }

  search(needle: string): readonly unknown[] {
    const found = this.#search([`%${needle}%`, `%${needle}%`]);
    return Array.isArray(found) ? found : [];
  }

  remove(needle: string): void {
    this.#remove([`%${needle}%`, `%${needle}%`]);
  }

  size(): number {
    return Number(this.#size([]));
  }

  nativeBytes(): number {
    return 0;
  }

  close(): void {
    alasql.exec(`DROP TABLE ${this.#table}`);
  }
}
