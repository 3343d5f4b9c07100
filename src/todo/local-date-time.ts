import { clock } from '../clock.ts';
/**
 * Formats a moment as a local date-time without a zone, with milliseconds:
 * `2026-11-20T09:30:00.123`. Local means the process's time zone (`TZ`).
 */
export function localDateTime(moment: Date): string {
  const days = [pad(moment.getFullYear(), 4), pad(moment.getMonth() + 1), pad(moment.getDate())];
  const time = [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map((part) =>
    pad(part),
  );
  return `${days.join('-')}T${time.join(':')}.${pad(moment.getMilliseconds(), 3)}`;
}

let latest = { time: Number.NaN, text: '' };

/** The local date-time now. Calls within the same millisecond share one text. */
export function localDateTimeNow(): string {
  const time = clock.time();
  if (time !== latest.time) latest = { time, text: localDateTime(new Date(time)) };
  return latest.text;
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, '0');
}
