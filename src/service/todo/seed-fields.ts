import { isJsonObject, type JsonSchema } from '../../lib/json/index.ts';
import { isOneLetterOff } from '../../lib/nearest.ts';
import { SEED_PATTERN, SENT_PATTERN } from '../resource/date-time-pattern.ts';
import { type Field, type Fields, memberOf } from '../resource/field.ts';
import { contentSchema } from '../resource/schema.ts';

/**
 * The fields that an item of a seed may have: those of a create request or an update, its id, and
 * what the service otherwise assigns.
 */
export function seedFields(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, seedFieldOf(field)] as const),
  );
}

function seedFieldOf({ identity, assign, ...field }: Field): Field {
  if (identity !== undefined) {
    const rules = { minimum: identity.from, maximum: identity.to };
    return { ...field, rules, create: { optional: true } };
  }
  if (assign !== undefined) return { ...field, create: { optional: true } };
  return memberOf(field, 'create') ? field : { ...field, create: {} };
}

/** The schema of an item of a seed: a create request with more members, and whole date-times. */
export function seedItemSchema(fields: Fields): JsonSchema {
  const { properties, ...schema } = contentSchema(seedFields(fields), 'create');
  const members = Object.entries(Object(properties)).map(([name, member]) => {
    const isTime = isJsonObject(member) && member.pattern === SENT_PATTERN;
    return [name, isTime ? { ...member, pattern: SEED_PATTERN } : member];
  });
  return { ...schema, properties: Object.fromEntries(members) };
}

/** Completes the sentence "must be …". */
export const SEED_TIME =
  'a date-time with its seconds, such as 2026-11-20T09:30:00, of the zone of the service, or ' +
  'with Z or an offset such as +02:00';

/** Whether a text that is a date-time has its seconds; a seed may leave out the fraction alone. */
export function hasSeconds(text: string): boolean {
  return /^\S+T\d\d:\d\d:\d\d\S*$/.test(text);
}

/** Names shorter than this are too short to be told from others by one letter. */
const MIN_NAME = 4;

/** The name that was probably meant by one that is no field's. */
export function meantName(name: string, fields: Fields): string | undefined {
  const plain = plainName(name);
  return Object.keys(fields).find((field) => {
    const meant = plainName(field);
    return plain === meant || (field.length >= MIN_NAME && isOneLetterOff(plain, meant));
  });
}

/** A name without case, and without `_` and `-` between letters. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/(?<=[^_-])[_-]+(?=[^_-])/g, '');
}
