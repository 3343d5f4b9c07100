import { assignments } from '../resource/assignments.ts';
import type { FieldValues } from '../resource/field.ts';
import { isBlank } from '../resource/text.ts';
import type { Id, NewRow, Row } from '../table/column.ts';
import { or } from '../table/condition.ts';
import type { Cursor } from '../table/cursor.ts';
import { type Synchronous, Table, type TableOptions } from '../table/table.ts';
import type { TodoFields } from './fields.ts';
import type { ListQuery } from './list-query.ts';

/** A stored item. */
export type Todo = Row<TodoFields>;

/** The operations on items, each of them one transaction (source: "Endpoints", rules 1 to 9). */
export class TodoService {
  readonly #todos: Table<TodoFields>;
  readonly #assigned: () => FieldValues;

  constructor(fields: TodoFields, options: TableOptions = {}) {
    this.#todos = new Table(fields, options);
    this.#assigned = assignments(fields);
  }

  /** The number of the last write: while it is the same, so is every list. */
  get version(): number {
    return this.#todos.version;
  }

  /** Runs a writing operation up to its answer; whatever is thrown on the way leaves no trace in the table. */
  transaction<T extends Synchronous>(work: () => T): T {
    return this.#todos.transaction(work);
  }

  /** The items asked for, as they are now: later writes do not show while the list is being read. */
  list({ search, ...options }: ListQuery): Cursor<TodoFields> {
    if (isBlank(search)) return this.#todos.cursor([], options);
    return this.#todos.cursor(
      (t) => [or(t.title.containsIgnoreCase(search), t.description.containsIgnoreCase(search))],
      options,
    );
  }

  get(id: Id<TodoFields>): Todo | undefined {
    return this.#todos.get(id);
  }

  /** @throws TableFullError, IdsExhaustedError */
  create(values: FieldValues): Todo {
    // The validator's values are typed by field, not as a row; the table checks each against its column.
    return this.#todos.insert({ ...values, ...this.#assigned() } as NewRow<TodoFields>);
  }

  /** Overwrites the fields that have a value; returns undefined where no item has the id. */
  update(id: Id<TodoFields>, values: FieldValues): Todo | undefined {
    return this.#todos.update(id, values);
  }

  /** Returns whether there was an item with the id. */
  delete(id: Id<TodoFields>): boolean {
    return this.#todos.delete(id);
  }
}
