import { type JsonRecord, listOf, recordOf, textOf } from '../shared/json.ts';

/** A value of a field: a bigint for each integer, as numbers cannot hold all ids of variant B. */
export type Value = string | bigint | boolean | null;

/** Values by the names of their fields. */
export type Values = Readonly<Record<string, Value>>;

/** The type of the values of a field, apart from null. */
export type Kind = 'text' | 'integer' | 'boolean' | 'timestamp';

/** A field of items, as the API document describes it. */
export interface Field {
  readonly name: string;
  /** The name in words. */
  readonly label: string;
  readonly description: string;
  readonly kind: Kind;
  readonly isNullable: boolean;
  readonly isRequired: boolean;
  /** Whether texts may have several lines. */
  readonly isLong: boolean;
  /** All values, if they are a few consecutive integers; else empty. */
  readonly steps: readonly bigint[];
}

/** The longest text for a single line. */
const MAX_LINE = 200;

/** The maximum number of values to show side by side. */
const MAX_STEPS = 10;

/** Reads the fields of a schema. @param known the schema of items, which has more exact kinds */
export function fieldsOf(schema: JsonRecord = {}, known: JsonRecord = {}): readonly Field[] {
  const required = listOf(schema.required);
  const others = recordOf(known.properties);
  return Object.entries(recordOf(schema.properties)).map(([name, own]) =>
    fieldOf(name, { ...recordOf(others[name]), ...recordOf(own) }, required.includes(name)),
  );
}

function fieldOf(name: string, schema: JsonRecord, isRequired: boolean): Field {
  const { type, format, minimum, maximum, maxLength } = schema;
  const types = [type].flat();
  const isNullable = types.includes('null');
  const kind = kindOf(types, format);
  const first = Number(minimum);
  const count = isNullable || kind !== 'integer' ? 0 : Number(maximum) - first + 1;
  return {
    name,
    label: labelOf(name),
    description: textOf(schema.description),
    kind,
    isNullable,
    isRequired,
    isLong: kind === 'text' && !(Number(maxLength) <= MAX_LINE),
    steps: count <= MAX_STEPS ? Array.from({ length: count }, (_, at) => BigInt(first + at)) : [],
  };
}

function kindOf(types: readonly unknown[], format: unknown): Kind {
  if (types.includes('boolean')) return 'boolean';
  if (types.includes('integer')) return 'integer';
  return format === 'date-time-local' ? 'timestamp' : 'text';
}

/** A name in words: `createdAt` is "Created at". */
export function labelOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Reads a JSON value. A value of another type becomes its JSON text. */
export function fromJson(kind: Kind, json: unknown): Value {
  if (json === undefined || json === null) return null;
  if (kind === 'integer' && /^-?\d+$/.test(String(json))) return BigInt(String(json));
  return typeof json === 'string' || typeof json === 'boolean' ? json : JSON.stringify(json);
}

/** Reads the text of an input. An empty text is null if the field is nullable. */
export function fromText({ kind, isNullable }: Field, text: string): Value {
  if (text === '' && (isNullable || kind !== 'text')) return null;
  if (kind === 'text') return text;
  if (kind === 'boolean') return text === 'true';
  return kind === 'integer' && /^-?\d+$/.test(text) ? BigInt(text) : text;
}

/** A value as a short text. Date-times are local, so they are not converted. */
export function wordsOf(kind: Kind, value: Value): string {
  if (kind === 'timestamp') return String(value).slice(0, 16).replace('T', ' ');
  return value === true ? 'yes' : value === false ? 'no' : String(value);
}
