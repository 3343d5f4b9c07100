/**
 * The names of UTC in the zone data: nothing else tells a right spelling of them from a wrong one.
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
 * Moments at which zones differ: one before there was standard time, when even neighbours did, and
 * some from then on, in winter and in summer.
 */
const MOMENTS = [
  '1887-03-01T12:00:00Z',
  '1950-07-01T12:00:00Z',
  '1975-01-01T12:00:00Z',
  '2000-07-01T12:00:00Z',
  '2026-01-01T12:00:00Z',
  '2026-07-01T12:00:00Z',
].map((text) => new Date(text));

/**
 * Whether a text names a time zone as the zone data spells it. `Intl` takes other spellings and
 * abbreviations as well (`europe/berlin`, `PST`), which `Date` silently reads as UTC.
 */
export function isTimeZone(text: string): boolean {
  const zone = canonicalName(text);
  if (zone === undefined) return false;
  if (zone === 'UTC') return NAMES_OF_UTC.includes(text.replace(/^Etc\//, ''));
  return MOMENTS.every((moment) => wallClock(moment, zone) === wallClockUnder(text, moment));
}

/** The spelling that was meant, if `Intl` knows. */
export function canonicalName(text: string): string | undefined {
  try {
    if (!/^[A-Za-z]/.test(text)) return undefined;
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** What clocks in a zone show, as `Intl` has it. */
function wallClock(moment: Date, timeZone: string): string {
  const two = '2-digit';
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone, year: 'numeric', month: two, day: two },
    ...{ hour: two, minute: two, second: two },
  });
  return format.format(moment);
}

/** What clocks show where the process's zone is this one, as `Date` has it. */
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
