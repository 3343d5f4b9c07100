/**
 * The names of UTC in the zone data. Wrong spellings of UTC cannot be detected by comparing clocks.
 */
const NAMES_OF_UTC = [
  'UTC',
  'UCT',
  'GMT',
  'GMT0',
  'GMT+0',
  'GMT-0',
  'Greenwich',
  'Universal',
  'Zulu',
];

/**
 * Moments that tell zones apart: one before standard time, when even neighbouring places differed,
 * and some since then, in winter and in summer.
 */
const MOMENTS = [
  '1887-03-01T12:00:00Z',
  '1950-07-01T12:00:00Z',
  '1975-01-01T12:00:00Z',
  '2000-07-01T12:00:00Z',
  '2026-01-01T12:00:00Z',
  '2026-07-01T12:00:00Z',
];

/**
 * Whether a text names a time zone in the spelling of the zone data. `Intl` also accepts other
 * spellings and abbreviations (`europe/berlin`, `PST`), which `Date` silently takes for UTC.
 */
export function isTimeZone(text: string): boolean {
  const zone = canonicalName(text);
  if (zone === undefined) return false;
  if (zone === 'UTC') return NAMES_OF_UTC.includes(text.replace(/^Etc\//, ''));
  return MOMENTS.map((moment) => new Date(moment)).every(
    (moment) => wallClock(moment, zone) === wallClockUnder(text, moment),
  );
}

/** The spelling in the zone data, if `Intl` recognises the name. */
export function canonicalName(text: string): string | undefined {
  try {
    if (!/^[A-Za-z]/.test(text)) return undefined;
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** The time on a clock in a zone, according to `Intl`. */
function wallClock(moment: Date, timeZone: string): string {
  const two = '2-digit';
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone, year: 'numeric', month: two, day: two },
    ...{ hour: two, minute: two, second: two },
  });
  return format.format(moment);
}

/** The time on a clock in a zone, according to `Date` with that `TZ`. */
function wallClockUnder(timeZone: string, moment: Date): string {
  const { TZ } = process.env;
  process.env.TZ = timeZone;
  try {
    const two = (value: number) => String(value).padStart(2, '0');
    const date = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())];
    const time = [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two);
    return `${date.join('-')} ${time.join(':')}`;
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
}
