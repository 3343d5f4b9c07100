import { requirePeer } from '../lib/peers.ts';
import type { Row } from '../lib/rows.ts';
import type { Engine } from './engine.ts';

/** The part of lokijs that is used here. */
interface Collection {
  insert(documents: readonly object[]): unknown;
  by(field: string, value: unknown): unknown;
  find(query: object): unknown[];
  findAndRemove(query: object): void;
  count(): number;
}
type Loki = new (
  name: string,
) => { addCollection(name: string, options: { unique: string[] }): Collection };

const LokiDatabase: Loki = requirePeer('lokijs');

/** lokijs, with a unique index on ids; it has no index for substrings. */
export class LokiJs implements Engine {
  readonly #todos = new LokiDatabase('todos').addCollection('todos', { unique: ['id'] });
  #lastId = 0;

  insert(rows: readonly Row[]): void {
    this.#todos.insert(rows.map((row) => ({ id: ++this.#lastId, ...row })));
  }

  get(id: number): unknown {
    return this.#todos.by('id', id);
  }

  search(needle: string): readonly unknown[] {
    return this.#todos.find(conditionOf(needle));
  }

  remove(needle: string): void {
    this.#todos.findAndRemove(conditionOf(needle));
  }

  size(): number {
    return this.#todos.count();
  }

  nativeBytes(): number {
    return 0;
  }

  close(): void {}
}

/** Needles have only letters and spaces, which are not special in regular expressions. */
function conditionOf(needle: string): object {
  const pattern = new RegExp(needle, 'i');
  return { $or: [{ title: { $regex: pattern } }, { description: { $regex: pattern } }] };
}
