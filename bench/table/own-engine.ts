import type { Condition, Table } from '../../src/lib/table/index.ts';
import { type Column, type Engine, PAGE_SIZE, type Page, type Values } from './engine.ts';

/** The index of a column, which versions up to 4.1 have to be told. */
const index = (index: 'bitmap' | 'ordered' | 'substring'): object => ({ index });

const SCHEMA = {
  id: { kind: 'integer', identity: { from: 1, to: 2 ** 31 - 1 } },
  title: { kind: 'text', maxLength: 200, ...index('substring') },
  description: { kind: 'text', maxLength: 1000, ...index('substring') },
  completed: { kind: 'boolean', ...index('bitmap') },
  priority: { kind: 'integer', ...index('bitmap') },
  ascending: { kind: 'timestamp', ...index('ordered') },
  equal: { kind: 'timestamp', ...index('ordered') },
  random: { kind: 'timestamp', ...index('ordered') },
} as const;

const completed: Condition = { op: 'eq', column: 'completed', value: true };
const urgent: Condition = { op: 'gte', column: 'priority', value: 4 };

function containing(value: string): Condition {
  const columns = ['title', 'description'];
  return {
    op: 'or',
    conditions: columns.map((column) => ({ op: 'containsIgnoreCase', column, value })),
  };
}

/** The table engine of this checkout or of an earlier version. */
export class OwnEngine implements Engine {
  readonly #table: Table<typeof SCHEMA>;

  private constructor(table: Table<typeof SCHEMA>) {
    this.#table = table;
  }

  /** Returns a function that creates empty tables, by the folder of a version. */
  static async load(folder: string): Promise<() => OwnEngine> {
    const module: { Table: typeof Table } = await import(`${folder}/src/lib/table/index.ts`);
    return () => new OwnEngine(new module.Table(SCHEMA));
  }

  insert(values: Values): void {
    this.#table.insert({ ...values });
  }

  get(id: number): unknown {
    return this.#table.find(id);
  }

  setFlag(id: number, value: boolean): void {
    this.#table.update(id, { completed: value });
  }

  setTitle(id: number, title: string): void {
    this.#table.update(id, { title });
  }

  search(term: string): readonly unknown[] {
    return this.#table.search([containing(term)]);
  }

  searchCompleted(term: string): readonly unknown[] {
    return this.#table.search([completed, containing(term)]);
  }

  countUrgent(): number {
    const cursor = this.#table.cursor([completed, urgent], { limit: 0 });
    while (!cursor.next().done);
    return cursor.total ?? 0;
  }

  page({ by, isDescending = false, isFiltered = false, offset = 0 }: Page): readonly unknown[] {
    return this.#table.search(isFiltered ? [completed] : [], {
      orderBy: [{ column: by, direction: isDescending ? 'desc' : 'asc' }],
      limit: PAGE_SIZE,
      offset,
    });
  }

  list(by: Column): readonly unknown[] {
    return by === 'id'
      ? this.#table.search()
      : this.#table.search([], { orderBy: [{ column: by }] });
  }

  setFlagUnderList(id: number, value: boolean): void {
    const list = this.#table.cursor();
    this.setFlag(id, value);
    list.close();
  }

  setUrgentFlags(value: boolean): void {
    this.#table.modify([urgent], { completed: value });
  }
}
