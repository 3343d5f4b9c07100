import { clock } from '../../lib/clock.ts';

/* Patterns of date-times. They avoid `\d`, which matches any Unicode digit in some programs. */
const LEAP_YEAR = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const DATE =
  '(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])' +
  '|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))' +
  `|${LEAP_YEAR}-02-29)`;
const MINUTES = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
const SECONDS = ':[0-5][0-9]';

/** The pattern of stored date-times. */
export const LOCAL_PATTERN = `^${DATE}T${MINUTES}${SECONDS}[.][0-9]{3}$`;

const TIME = `T${MINUTES}(?:${SECONDS}(?:[.][0-9]+)?)?(Z|[+ -]${MINUTES})?`;

/** The pattern of moments from clients: seconds, fraction and zone may be left out. */
export const MOMENT_PATTERN = `^${DATE}${TIME}$`;

/** The pattern of moments, or of dates, each of which stands for its midnight. */
export const MOMENT_OR_DATE_PATTERN = `^${DATE}(?:${TIME})?$`;

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

/** The instant now. @throws RangeError outside the years 0 to 9999 */
export function instantNow(): string {
  const utc = dateTimeOf(new Date(clock.time()));
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
