import { clock } from '../../lib/clock.ts';
import { localDateTime } from '../resource/date-time.ts';

/** The local date-time now. @throws RangeError outside the years 0 to 9999 */
export function localDateTimeNow(): string {
  const text = localDateTime(new Date(clock.time()));
  if (text === undefined) throw new RangeError('the clock is outside the years 0 to 9999');
  return text;
}
