import { DATE_PATTERN, MINUTES_PATTERN, SECONDS_PATTERN } from '../../lib/table/index.ts';

const ZONE = `Z|[+ -]${MINUTES_PATTERN}`;
const TIME = `T${MINUTES_PATTERN}(?:${SECONDS_PATTERN}(?:[.][0-9]+)?)?(${ZONE})?`;

/** The pattern of moments from clients: seconds, fraction and zone may be left out. */
export const MOMENT_PATTERN = `^${DATE_PATTERN}${TIME}$`;

/** The pattern of moments, or of dates, each of which stands for its midnight. */
export const MOMENT_OR_DATE_PATTERN = `^${DATE_PATTERN}(?:${TIME})?$`;

const MOMENT_OR_DATE = new RegExp(MOMENT_OR_DATE_PATTERN);

/** Completes a date-time that leaves something out. */
const MIDNIGHT = '0000-00-00T00:00:00.000';

const DATE_LENGTH = '2026-11-20'.length;

const DAY = 86_400_000;
const MINUTE = 60_000;

/** Parses a date-time (api.md: "Date-times"); undefined if it has another form or does not exist. */
export function dateTimeIn(text: string): string | undefined {
  const match = MOMENT_OR_DATE.exec(text);
  if (match === null) return undefined;
  const [, zone = ''] = match;
  const complete = completed(text.slice(0, text.length - zone.length));
  return zone === '' ? complete : localDateTime(momentOf(complete, zone));
}

/** A date-time with three digits of a fraction. More digits are dropped. */
function completed(text: string): string {
  return text.slice(0, MIDNIGHT.length) + MIDNIGHT.slice(text.length);
}

/**
 * Parses a date-time with a zone as one in UTC, with `Z`; undefined if it has another form or does
 * not exist. A date alone is its midnight in UTC.
 */
export function instantIn(text: string): string | undefined {
  const match = MOMENT_OR_DATE.exec(text);
  if (match === null || (match[1] === undefined && !isDateAlone(text))) return undefined;
  const [, zone = 'Z'] = match;
  const start = text.slice(0, isDateAlone(text) ? DATE_LENGTH : text.length - zone.length);
  const utc = dateTimeOf(momentOf(completed(start), zone));
  return utc && `${utc}Z`;
}

/** The instant of a time in milliseconds. @throws RangeError outside the years 0 to 9999 */
export function instantOf(time: number): string {
  const utc = dateTimeOf(new Date(time));
  if (utc === undefined) throw new RangeError('the clock is outside the years 0 to 9999');
  return `${utc}Z`;
}

/** Whether a valid date-time is a date alone. */
export function isDateAlone(text: string): boolean {
  return text.length === DATE_LENGTH;
}

/** The date after a date; undefined after the year 9999. */
export function nextDate(date: string): string | undefined {
  return dateTimeOf(new Date(Date.parse(date) + DAY))?.slice(0, DATE_LENGTH);
}

/** The moment of a date-time of a zone. A `+` that has not been encoded arrives as a space. */
function momentOf(dateTime: string, zone: string): Date {
  const [hours = 0, minutes = 0] = zone === 'Z' ? [] : zone.slice(1).split(':').map(Number);
  const offset = (hours * 60 + minutes) * (zone.startsWith('-') ? -MINUTE : MINUTE);
  return new Date(Date.parse(`${dateTime}Z`) - offset);
}

/** A moment in the process's time zone (`TZ`); undefined outside the years 0 to 9999. */
export function localDateTime(moment: Date): string | undefined {
  const asUtc = new Date(0);
  asUtc.setUTCFullYear(moment.getFullYear(), moment.getMonth(), moment.getDate());
  asUtc.setUTCHours(
    moment.getHours(),
    moment.getMinutes(),
    moment.getSeconds(),
    moment.getMilliseconds(),
  );
  return dateTimeOf(asUtc);
}

/** The date-time that a date shows in UTC; undefined outside the years 0 to 9999. */
function dateTimeOf(date: Date): string | undefined {
  if (Number.isNaN(date.getTime())) return undefined;
  const text = date.toISOString();
  if (text.length !== '2026-11-20T09:30:00.123Z'.length) return undefined;
  // A copy, because V8 compares slices of other strings four times as slowly.
  return Buffer.from(text, 'latin1').toString('latin1', 0, text.length - 1);
}
