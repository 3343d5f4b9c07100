import { clock } from '../../lib/clock.ts';
import {
  type BulkWrite,
  type FoundRow,
  type Id,
  integerIn,
  type NewRow,
  type NonEmpty,
  type Row,
  Table,
  type TableOptions,
  type Value,
} from '../../lib/table/index.ts';
import type { ItemFields } from '../resource/definition.ts';
import { type Field, type FieldValues, nullMarkOf } from '../resource/field.ts';

/** The values of the items of a seed. An item may have an id and assigned fields. */
export type SeedItems = readonly FieldValues[];

/** A stored item. */
export type Item = Row<ItemFields>;

/** A stored item as it was found in the table. */
export type FoundItem = FoundRow<ItemFields>;
/** An item with the number of the commit that wrote it. */
export type WrittenItem = Omit<FoundItem, 'bytes'>;

/** The id of an item: a number, or a bigint beyond 2^53 - 1. */
export type ItemId = Id<ItemFields>;

/** Returns the new values of some fields of an item. */
export type ComputeValues = (item: Item) => FieldValues;

/** Options of a table, and its columns, if they are others than the fields. */
export interface ItemsOptions extends TableOptions {
  readonly columns?: ItemFields | undefined;
}

/** A field whose values the service assigns, with the function that makes them. */
type Assigned = readonly [name: string, assign: (time: number) => Value];

/** The items, in a table, and the meaning of writes to them (api.md: "Operations"). */
export class Items {
  readonly table: Table<ItemFields>;
  readonly #fields: ItemFields;
  readonly #options: ItemsOptions;
  /** The fields whose values the service assigns. */
  readonly #assigned: readonly Assigned[];
  /** Those that it assigns again with each change. */
  readonly #renewed: readonly Assigned[];
  /** The fields whose null may stand for an absent member, with the columns that tell. */
  readonly #nullMarks: readonly (readonly [name: string, mark: string])[];

  /** @param table by default, a new one */
  constructor(fields: ItemFields, options: ItemsOptions = {}, table?: Table<ItemFields>) {
    const { columns = fields, ...limits } = options;
    this.table = table ?? new Table(columns, { clock: () => clock.now(), ...limits });
    this.#fields = fields;
    this.#options = options;
    this.#assigned = Object.entries<Field>(fields).flatMap(([name, { assign }]) =>
      assign ? [[name, assign] as const] : [],
    );
    this.#renewed = this.#assigned.filter(([name]) => fields[name]?.isRenewed);
    this.#nullMarks = Object.entries<Field>(fields).flatMap(([name, field]) => {
      const mark = nullMarkOf(name, field);
      return mark === undefined ? [] : [[name, mark] as const];
    });
  }

  /** No items, with the same fields and limits. @param limits those that differ */
  createEmpty(limits: TableOptions = {}): Items {
    const { maxBytes } = this.table;
    return new Items(this.#fields, { ...this.#options, maxBytes, ...limits });
  }

  /** The same items, in a fork of the table. */
  fork(): Items {
    return new Items(this.#fields, this.#options, this.table.fork());
  }

  /** Steps that put the items of a seed into an empty table. @throws TableFullError */
  *fill(seed: SeedItems): Generator<undefined, void> {
    for (const { id, ...values } of inOrderOfIds(seed)) {
      this.table.insert(this.#withAssigned(values), integerIn(id));
      yield;
    }
  }

  /** @throws TableFullError, IdsExhaustedError */
  create(values: FieldValues): Item {
    return this.table.insert(this.#withAssigned(values));
  }

  /** Updates an item, unless nothing changes. @returns the current item @throws TableFullError */
  update(found: FoundItem, given: FieldValues): WrittenItem {
    const values = this.#columnsOf(given);
    if (changesNothing(found.row, values)) return found;
    const row =
      this.table.update(found.row.id, { ...values, ...this.#renewedValues() }) ?? found.row;
    return { row, commit: this.table.lastCommit };
  }

  /**
   * Begins to change the items that match, in steps. Items that do not differ then are counted.
   * @param values those of all items, or a function that returns those of an item, or throws
   */
  modification(where: NonEmpty, values: FieldValues | ComputeValues): BulkWrite {
    const changes =
      typeof values === 'function'
        ? (item: Item) => this.#columnsOf(values(item))
        : this.#columnsOf(values);
    return this.table.modification(where, changes, this.#renewedValues());
  }

  /** The values that each change assigns again. */
  #renewedValues(): FieldValues {
    const values: Record<string, Value> = {};
    const time = clock.time();
    for (const [name, assign] of this.#renewed) values[name] = assign(time);
    return values;
  }

  /** The values of columns for those of fields. */
  #columnsOf(values: FieldValues): FieldValues {
    const nulls = this.#nullMarks.filter(([name]) => values[name] === null);
    if (nulls.length === 0) return values;
    return { ...values, ...Object.fromEntries(nulls.map(([, mark]) => [mark, true])) };
  }

  /** Adds the values that the service assigns. */
  #withAssigned(given: FieldValues): NewRow<ItemFields> {
    const values = this.#columnsOf(given);
    if (this.#assigned.length === 0) return values;
    const row: Record<string, Value | null> = { ...values };
    const time = clock.time();
    for (const [name, assign] of this.#assigned) row[name] ??= assign(time);
    return row;
  }
}

/** Sorts by id. Every item of a checked seed has one. */
function inOrderOfIds(seed: SeedItems): SeedItems {
  return seed.toSorted(({ id: a }, { id: b }) => {
    const [x, y] = [integerIn(a), integerIn(b)];
    return x !== undefined && y !== undefined ? Number(x > y) - Number(x < y) : 0;
  });
}

function changesNothing(before: FieldValues, values: FieldValues): boolean {
  for (const name in values) if (values[name] !== before[name]) return false;
  return true;
}
