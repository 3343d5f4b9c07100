import { or } from '../../src/lib/table/condition/condition.ts';
import { Table } from '../../src/lib/table/table.ts';
import { variantA } from '../../src/service/todo/variant-a.ts';
import type { Row } from '../lib/rows.ts';
import type { Engine } from './engine.ts';

/** The table with the indexes that the service uses. */
export class Ours implements Engine {
  readonly #todos = new Table(variantA.fields);

  /** One transaction per row. */
  insert(rows: readonly Row[]): void {
    for (const row of rows) this.#todos.insert(row);
  }

  get(id: number): unknown {
    return this.#todos.find(id)?.row;
  }

  search(needle: string): readonly unknown[] {
    return this.#todos.search((t) => [
      or(t.title.containsIgnoreCase(needle), t.description.containsIgnoreCase(needle)),
    ]);
  }

  remove(needle: string): void {
    this.#todos.remove((t) => [
      or(t.title.containsIgnoreCase(needle), t.description.containsIgnoreCase(needle)),
    ]);
  }

  size(): number {
    return this.#todos.size;
  }

  nativeBytes(): number {
    return 0;
  }

  close(): void {}
}
