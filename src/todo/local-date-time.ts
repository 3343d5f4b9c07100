/**
 * A moment as a local date-time without a zone, to the millisecond: `2026-11-20T09:30:00.123`. Local is what the
 * process's time zone (`TZ`) makes of it.
 */
export function localDateTime(moment: Date = new Date()): string {
  const date = `${pad(moment.getFullYear(), 4)}-${pad(moment.getMonth() + 1)}-${pad(moment.getDate())}`;
  const time = `${pad(moment.getHours())}:${pad(moment.getMinutes())}:${pad(moment.getSeconds())}`;
  return `${date}T${time}.${pad(moment.getMilliseconds(), 3)}`;
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, '0');
}
