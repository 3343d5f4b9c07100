import type { PageField } from '../../page-data.ts';
import { attempt, MARK, markedJson, unmarked } from '../shared/json.ts';

/**
 * A value of a field: a bigint for each integer, as numbers cannot hold all ids of variant B; a
 * marked text for other numbers, arrays and objects.
 */
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
  if (kind === 'json' || kind === 'number') return MARK + (unmarked(json) ?? markedJson(json));
  const digits = unmarked(json) ?? String(json);
  if (kind === 'integer' && /^-?\d+$/.test(digits)) return BigInt(digits);
  return typeof json === 'string' || typeof json === 'boolean' ? json : JSON.stringify(json);
}

/** Reads the text of an input. An empty text is null if the field is nullable. */
export function fromText({ kind, isNullable, isOptional }: Field, text: string): Value {
  if (text === '' && (isNullable || isOptional || kind !== 'text')) return null;
  if (kind === 'text') return text;
  if (kind === 'instant') return attempt(() => new Date(text).toISOString()) ?? text;
  // What is no JSON is sent as a text, and refused.
  if (kind === 'json' || kind === 'number') {
    return attempt(() => JSON.parse(text)) === undefined ? text : MARK + text;
  }
  if (kind === 'boolean') return text === 'true';
  return kind === 'integer' && /^-?\d+$/.test(text) ? BigInt(text) : text;
}

/** The text of a value in a control. Instants are shown as times of this machine. */
export function toText({ kind }: Field, value: Value): string {
  return unmarked(value) ?? (kind === 'instant' ? localTime(value) : String(value ?? ''));
}

function localTime(value: Value): string {
  const date = new Date(String(value ?? ''));
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
}

/** A value as a short text. Timestamps are local, so they are not converted. */
export function wordsOf(kind: Kind, value: Value): string {
  const text = unmarked(value);
  if (text !== undefined) return text;
  const time = kind === 'instant' ? localTime(value) : kind === 'timestamp' && String(value);
  if (time) return time.slice(0, 16).replace('T', ' ');
  return value === true ? 'yes' : value === false ? 'no' : String(value);
}
