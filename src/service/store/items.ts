import { clock } from '../../lib/clock.ts';
import type { Steps } from '../../lib/steps.ts';
import {
  type FoundRow,
  type Id,
  integerIn,
  type NewRow,
  type Row,
  Table,
  type TableOptions,
  type Value,
} from '../../lib/table/index.ts';
import type { ItemFields } from '../resource/definition.ts';
import type { Field, FieldValues } from '../resource/field.ts';

/** Runs steps, alternating with other work. */
export type Run = <T>(steps: Steps<unknown, T>) => Promise<T>;

/** The values of the items of a seed. An item may have an id and assigned fields. */
export type SeedItems = readonly FieldValues[];

/** A stored item. */
export type Item = Row<ItemFields>;

/** A stored item as it was found in the table. */
export type FoundItem = FoundRow<ItemFields>;

/** The id of an item: a number, or a bigint beyond 2^53 - 1. */
export type ItemId = Id<ItemFields>;

/** The items, in a table, and the meaning of writes to them (api.md: "Operations"). */
export class Items {
  readonly table: Table<ItemFields>;
  /** The fields whose values the service assigns, with the function that makes them. */
  readonly #assigned: readonly (readonly [name: string, assign: () => Value])[];
  readonly #seed: SeedItems;

  /** @param seed the items to start with, and to reset to */
  constructor(fields: ItemFields, options: TableOptions = {}, seed: SeedItems = []) {
    this.table = new Table(fields, { clock: () => clock.now(), ...options });
    this.#assigned = Object.entries<Field>(fields).flatMap(([name, { assign }]) =>
      assign ? [[name, assign] as const] : [],
    );
    this.#seed = seed;
  }

  /** Steps that fill an empty table with the items of a seed. @throws TableFullError */
  *fill(seed = this.#seed, table = this.table): Generator<undefined, void> {
    for (const { id, ...values } of inOrderOfIds(seed)) {
      table.insert(this.#withAssigned(values), integerIn(id));
      yield;
    }
  }

  /** Creates the items of a seed in a table of their own. @throws TableFullError */
  *makeItems(seed = this.#seed) {
    const table = this.table.createEmpty();
    yield* this.fill(seed, table);
    return { items: table.search(), idsAssigned: table.idsAssigned };
  }

  /** @throws TableFullError, IdsExhaustedError */
  create(values: FieldValues): Item {
    return this.table.insert(this.#withAssigned(values));
  }

  /** Updates an item, unless nothing changes. @returns the current item @throws TableFullError */
  update(found: FoundItem, values: FieldValues): Item {
    if (changesNothing(found.row, values)) return found.row;
    return this.table.update(found.row.id, values) ?? found.row;
  }

  /** Adds the values that the service assigns. */
  #withAssigned(values: FieldValues): NewRow<ItemFields> {
    if (this.#assigned.length === 0) return values;
    const row: Record<string, Value | null> = { ...values };
    for (const [name, assign] of this.#assigned) row[name] ??= assign();
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
