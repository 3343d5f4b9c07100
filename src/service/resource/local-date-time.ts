import { localDateTime } from './date-time.ts';

/** The latest one, because dozens of items may be created within a millisecond. */
let latest = { time: Number.NaN, text: '' };

/** The local date-time of a time in milliseconds. @throws RangeError outside the years 0 to 9999 */
export function localDateTimeOf(time: number): string {
  if (time !== latest.time) {
    const text = localDateTime(new Date(time));
    if (text === undefined) throw new RangeError('the clock is outside the years 0 to 9999');
    latest = { time, text };
  }
  return latest.text;
}
