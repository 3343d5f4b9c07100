/**
 * A moment as a local date-time without a zone, to the millisecond: `2026-11-20T09:30:00.123`.
 * Local is what the process's time zone (`TZ`) makes of it.
 */
export function localDateTime(moment: Date): string {
  const date = `${pad(moment.getFullYear(), 4)}-${pad(moment.getMonth() + 1)}-${pad(moment.getDate())}`;
  const time = `${pad(moment.getHours())}:${pad(moment.getMinutes())}:${pad(moment.getSeconds())}`;
  return `${date}T${time}.${pad(moment.getMilliseconds(), 3)}`;
}

let latest = { time: Number.NaN, text: '' };

/** The local date-time of now. All that comes within a millisecond shares one text. */
export function localDateTimeNow(): string {
  const time = Date.now();
  if (time !== latest.time) latest = { time, text: localDateTime(new Date(time)) };
  return latest.text;
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, '0');
}
