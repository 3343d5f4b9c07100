import { clock } from '../clock.ts';

/** A moment as the time in the process's time zone (`TZ`), such as `2026-11-20T09:30:00.123`. */
export function localDateTime(moment: Date): string {
  const shifted = moment.getTime() - moment.getTimezoneOffset() * 60_000;
  return new Date(shifted).toISOString().slice(0, -1);
}

let latest = { time: Number.NaN, text: '' };

/** The local date-time now. Calls within the same millisecond share one text. */
export function localDateTimeNow(): string {
  const time = clock.time();
  if (time !== latest.time) latest = { time, text: localDateTime(new Date(time)) };
  return latest.text;
}
