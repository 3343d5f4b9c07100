import { isOneLetterOff } from '../../lib/nearest.ts';
import { KINDS } from '../../lib/table/index.ts';
import { type Field, type Fields, memberOf } from '../resource/field.ts';
import { localDateTime } from './local-date-time.ts';

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

const ZONED =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|([+-])([01]\d|2[0-3]):([0-5]\d))?$/;

/**
 * Completes a local date-time that has its seconds at least, with three digits of the fraction; one
 * with a zone is converted to the service's. Undefined if it is none.
 */
export function seedTime(text: string): string | undefined {
  const [, seconds, fraction = '', zone, sign, hours, minutes] = ZONED.exec(text) ?? [];
  const value = `${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  if (!KINDS.timestamp.accepts(value)) return undefined;
  if (zone === undefined) return value;
  const offsetMs = zone === 'Z' ? 0 : (60 * Number(hours) + Number(minutes)) * 60_000;
  const time = Date.parse(`${value}Z`) - (sign === '-' ? -offsetMs : offsetMs);
  const local = localDateTime(new Date(time));
  return KINDS.timestamp.accepts(local) ? local : undefined;
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
