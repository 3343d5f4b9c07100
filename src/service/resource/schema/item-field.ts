import { type Integer, integerIn, type Kind, type Value } from '../../../lib/table/index.ts';
import { instantOf } from '../date-time.ts';
import type { ItemFields } from '../definition.ts';
import { type Field, usualNamesOf } from '../field.ts';
import { localDateTimeOf } from '../local-date-time.ts';
import type { Path } from '../validation.ts';
import { VALUE_KINDS } from '../value-kind.ts';
import { valueShape } from '../value-shape.ts';
import { createOptions, readValueSchema, type ValueSchema } from './property.ts';
import type { SchemaSource } from './schema-source.ts';

type IdField = ItemFields['id'];

const ID_DESCRIPTION =
  'Assigned by the service: ascending from the first one, and not reused until a reset.';

/** The field of an id that the schema does not have. */
export const ID: IdField = {
  kind: 'bigint',
  description: ID_DESCRIPTION,
  identity: { from: 1, to: 2n ** 63n - 1n },
};

/** The function that makes a date-time of the time of a write, by its kind. */
const NOW: Partial<Record<Kind, (time: number) => Value>> = {
  instant: instantOf,
  timestamp: localDateTimeOf,
};

/** Matches names of times that probably change with an item. */
const CHANGES = /^last|updat|modif|chang|(?<!cr)edit/i;

/** A member of an item, and the first example that its schema has. */
export interface ItemMember {
  readonly field: Field;
  readonly example: unknown;
}

/** Reads the schema of a member of an item, other than the id. */
export function readMember(
  source: SchemaSource,
  path: Path,
  name: string,
  isRequired: boolean,
): ItemMember | undefined {
  const found = readValueSchema(source, path, name);
  if (found === undefined) return undefined;
  const { readOnly = false, examples = [], 'x-updated': isRenewed } = found.keywords;
  if (isRenewed && !(readOnly && found.field.kind in NOW && found.default === undefined)) {
    const detail = 'is for a date-time that is readOnly and has no default';
    return source.report(found.placeOf('x-updated'), 'value', detail);
  }
  const field = readOnly
    ? assignedField(source, found, name, isRequired)
    : settableField(found, isRequired);
  return { field: { ...field, aliases: usualNamesOf(name) }, example: examples[0] };
}

function settableField(
  { field, keywords, default: value }: ValueSchema,
  isRequired: boolean,
): Field {
  return {
    ...field,
    nullable: keywords.isNullable || !isRequired,
    isOptional: !isRequired,
    takesNull: keywords.isNullable,
    create: createOptions(isRequired, value),
    update: true,
  };
}

/** A member that the service sets, that has a default, or that is null. */
function assignedField(
  source: SchemaSource,
  { field, keywords, default: value, placeOf }: ValueSchema,
  name: string,
  isRequired: boolean,
): Field {
  const now = NOW[field.kind];
  const { 'x-updated': isRenewed } = keywords;
  if (now && isRenewed === undefined && CHANGES.test(name)) {
    const detail = 'needs "x-updated" beside it: true for the time of the last change, else false';
    source.report(placeOf('readOnly'), 'value', detail);
  }
  if (isRenewed) return { ...field, assign: now ?? instantOf, isRenewed };
  const assign = value === undefined ? now : assignerOf(value);
  if (assign !== undefined) return { ...field, assign, ...(value != null && { default: value }) };
  if (!keywords.isNullable) {
    const detail = 'needs a default beside it, or null, because no request can set the member';
    source.report(placeOf('readOnly'), 'value', detail);
  }
  // Null is the default, or else the member may be absent.
  return { ...field, isOptional: !isRequired && value === undefined, takesNull: true };
}

/** Null needs no assignment. */
function assignerOf(value: Value | null): (() => Value) | undefined {
  return value === null ? undefined : () => value;
}

/** Reads the schema of the id. */
export function readId(source: SchemaSource, path: Path): IdField {
  const found = readValueSchema(source, path, 'id');
  if (found === undefined) return ID;
  const { field, keywords, placeOf } = found;
  const { kind, description } = field;
  if ((kind !== 'integer' && kind !== 'bigint') || keywords.isNullable) {
    const type = keywords.isNullable ? 'integer without null' : 'integer';
    source.report(
      placeOf('type'),
      'value',
      `must be ${type}, or leave the property out: the service assigns the ids`,
    );
    return ID;
  }
  const limit = (keyword: 'minimum' | 'maximum', usual: Integer = 1) => {
    const given = keywords[keyword] ?? usual;
    return integerIn(source.read(valueShape({ kind }), given, placeOf(keyword)));
  };
  const [from, to] = [limit('minimum'), limit('maximum', VALUE_KINDS[kind].range?.maximum)];
  if (from === undefined || to === undefined) return ID;
  if (from > to) {
    source.report(placeOf('maximum'), 'value', `must be at least ${from}`);
    return ID;
  }
  const identity = { from, to };
  return { kind, description: description === 'id' ? ID_DESCRIPTION : description, identity };
}
