import type { JsonObject } from '../../lib/json/index.ts';
import type { Integer } from '../../lib/table/index.ts';
import type { ContentRules, Field, Fields } from './field.ts';

/** The fields of an item. The service relies on `id` only, which the table assigns. */
export type ItemFields = Fields & {
  readonly id: Field & {
    readonly kind: 'integer' | 'bigint';
    readonly nullable?: false;
    readonly identity: { readonly from: Integer; readonly to: Integer };
  };
};

/** The properties of a resource's API that do not follow from the fields of its items. */
export interface ItemApi<Name extends string = string> {
  /** The name of an item, such as `Todo`, in the names of schemas and operations. */
  readonly item: string;
  /** The name of several items, such as `Todos`. */
  readonly items: string;
  /** What an item is, in a sentence. */
  readonly description: string;
  /** How the page calls the items. */
  readonly words: {
    readonly heading: string;
    readonly one: string;
    readonly many: string;
    /** The sentence about an empty list. */
    readonly none: string;
  };
  /** The path of all items, such as `/api/todos`. */
  readonly collection: string;
  /** The fields that `search` searches, in this order. */
  readonly searched: readonly Name[];
  readonly examples: {
    /** Valid create requests, by title. The first one creates the item of all examples. */
    readonly create: Readonly<Record<string, JsonObject>>;
    readonly update: Readonly<Record<string, JsonObject>>;
    /** Valid create requests; the page offers to send them. */
    readonly batch: readonly JsonObject[];
    readonly where: JsonObject;
  };
}

/** The definition of a resource: the fields of its items, and its API. Everything else follows. */
export interface Definition {
  /** A word for metrics, logs and stored lists: that of a variant, or the name of an item. */
  readonly name: string;
  /** The title of the page and of the API document. */
  readonly title: string;
  readonly fields: ItemFields;
  /** The columns of the table, if they are others than the fields. */
  readonly columns?: ItemFields | undefined;
  /** Whether null in a PUT leaves a field as it is, like an absent member; false by default. */
  readonly ignoresNull?: boolean;
  /** Fields whose names contents may also have, such as those of the other variant. */
  readonly alsoKnown?: Fields;
  readonly api: ItemApi;
}

/** Defines a resource in code. The build derives the types of the package from it. */
export function define<const F extends ItemFields>(
  definition: Omit<Definition, 'fields' | 'api'> & { fields: F; api: ItemApi<keyof F & string> },
) {
  return definition;
}

/** The rules for contents of items. */
export interface ItemRules extends ContentRules {
  readonly fields: ItemFields;
  /** The path of all items. */
  readonly collection: string;
}

/** The rules of a definition. @param isStrict the setting `STRICT` */
export function rulesOf(
  { fields, alsoKnown = {}, ignoresNull = false, api }: Omit<Definition, 'name' | 'title'>,
  isStrict: boolean,
): ItemRules {
  return { fields, alsoKnown, ignoresNull, collection: api.collection, isStrict };
}
