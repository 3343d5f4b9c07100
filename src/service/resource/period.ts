import { and, type Condition, conditionOn, KINDS, not, or } from '../../lib/table/index.ts';
import type { FilterOperator } from './field.ts';
import { dateTimeOf, localDateTime } from './local-date-time.ts';

/**
 * What a client means by a date-time: the whole of a day, a minute or a second, or a moment
 * (api.md: "Date-times").
 */
export interface Period {
  /** The last stored date-time that is not after its end. */
  readonly last: string;
  /** The first one that is not before its beginning; absent if it is a moment between two. */
  readonly first: string | undefined;
}

const ZONE = /Z|[+ -](?:[01]\d|2[0-3]):[0-5]\d/;
const TIME = /(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?/;
const DATE_TIME = new RegExp(`^(\\d{4}-\\d\\d-\\d\\d)(?:T${TIME.source}(${ZONE.source})?)?$`);

/** The lengths of what can be left out, in milliseconds. */
const DAY = 86_400_000;
const MINUTE = 60_000;
const SECOND = 1000;

/** Parses a date-time, whole or short; undefined if it has another form, or is no such time. */
export function periodOf(text: string): Period | undefined {
  const [, date, time, seconds, fraction, zone] = DATE_TIME.exec(text) ?? [];
  const length = time === undefined ? DAY : seconds === undefined ? MINUTE : SECOND;
  const milliseconds = (fraction ?? '').slice(0, 3).padEnd(3, '0');
  const sent = `${date}T${time ?? '00:00'}:${seconds ?? '00'}.${milliseconds}`;
  if (!KINDS.timestamp.accepts(sent)) return undefined;
  const beginning = zone === undefined ? sent : inLocalTime(sent, zone);
  if (beginning === undefined) return undefined;
  if (fraction !== undefined) {
    // Stored date-times have milliseconds, so none is at such a moment.
    const isBetween = /[1-9]/.test(fraction.slice(3));
    return { first: isBetween ? undefined : beginning, last: beginning };
  }
  const last = dateTimeOf(new Date(Date.parse(`${beginning}Z`) + length - 1));
  return last === undefined ? undefined : { first: beginning, last };
}

/** Converts a date-time of another zone. A `+` that has not been encoded arrives as a space. */
function inLocalTime(dateTime: string, zone: string): string | undefined {
  const [hours = 0, minutes = 0] = zone === 'Z' ? [] : zone.slice(1).split(':').map(Number);
  const offset = (hours * 60 + minutes) * (zone.startsWith('-') ? -MINUTE : MINUTE);
  return localDateTime(new Date(Date.parse(`${dateTime}Z`) - offset));
}

/** The condition of an operator whose operands are periods: which date-times are meant. */
export function conditionOnPeriods(
  column: string,
  op: FilterOperator,
  periods: readonly Period[],
): Condition {
  if (periods.every(({ first, last }) => first === last)) {
    return conditionOn(
      column,
      op,
      periods.map(({ last }) => last),
    );
  }
  const [period] = periods;
  if (op === 'eq' || op === 'in') return withinAny(column, periods);
  if (op === 'ne' || op === 'notIn') return not(withinAny(column, periods));
  if (period !== undefined) {
    const { first, last } = period;
    if (op === 'lte' || op === 'gt') return conditionOn(column, op, [last]);
    const isBetween = first === undefined;
    if (op === 'lt') return conditionOn(column, isBetween ? 'lte' : 'lt', [first ?? last]);
    if (op === 'gte') return conditionOn(column, isBetween ? 'gt' : 'gte', [first ?? last]);
  }
  throw new TypeError(`"${op}" means nothing for a period`);
}

function withinAny(column: string, periods: readonly Period[]): Condition {
  return or(
    ...periods.map(({ first, last }) =>
      first === undefined
        ? // Of a null it is unknown, like every other comparison.
          and(conditionOn(column, 'gt', [last]), conditionOn(column, 'lt', [last]))
        : conditionOn(column, 'between', [first, last]),
    ),
  );
}
