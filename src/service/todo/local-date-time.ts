import { clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/http/index.ts';
import { problemType } from '../problem-types.ts';
import { localDateTime } from '../resource/date-time.ts';

export const CLOCK_OUT_OF_RANGE = problemType('clock-out-of-range', 507);

/** Creates a function that returns the local date-time. It throws Problem `clock-out-of-range`. */
export function localDateTimes(): () => string {
  let latest: { readonly time: number; readonly text: string | undefined } | undefined;
  return () => {
    const time = clock.time();
    if (latest?.time !== time) latest = { time, text: localDateTime(new Date(time)) };
    if (latest.text !== undefined) return latest.text;
    const detail = 'The clock of the service is outside the years 0 to 9999; set it right';
    throw new Problem(CLOCK_OUT_OF_RANGE, detail);
  };
}
