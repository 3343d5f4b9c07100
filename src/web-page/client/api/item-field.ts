import type { PageField } from '../../page-data.ts';

/** A value of a field: a bigint for each integer, as numbers cannot hold all ids of variant B. */
export type Value = string | bigint | boolean | null;

/** Values by the names of their fields. */
export type Values = Readonly<Record<string, Value>>;

/** The type of the values of a field, apart from null. */
export type Kind = PageField['kind'];

/** A field of items. */
export interface Field extends PageField {
  /** The name in words. */
  readonly label: string;
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
