import { clock } from '../../lib/clock.ts';
import { localDateTime } from '../resource/date-time.ts';

/** Creates a function that returns the local date-time, for years up to 9999. */
export function localDateTimes(): () => string {
  let latest: { readonly time: number; readonly text: string } | undefined;
  return () => {
    const time = clock.time();
    if (latest?.time === time) return latest.text;
    const text = localDateTime(new Date(time));
    if (text === undefined) throw new RangeError('the clock is outside the years 0 to 9999');
    latest = { time, text };
    return text;
  };
}
