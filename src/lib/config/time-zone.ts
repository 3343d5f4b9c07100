/** The names of UTC in the zone data, because no clock tells its wrong spellings apart. */
const NAME_OF_UTC = /^(?:Etc\/)?(?:UTC|UCT|GMT|GMT[+-]?0|Greenwich|Universal|Zulu)$/;

/** Moments that tell zones apart: in the time of local clocks, and since, in winter and summer. */
const MOMENTS = [
  ...['1887-03-01', '1950-07-01', '1975-01-01', '2000-07-01', '2026-01-01', '2026-07-01'],
].map((day) => new Date(`${day}T12:00:00Z`));

/** Whether a text is the exact name of a time zone; `Date` takes `PST` and others for UTC. */
export function isTimeZone(text: string): boolean {
  const zone = canonicalName(text);
  if (zone === undefined) return false;
  if (zone === 'UTC') return NAME_OF_UTC.test(text);
  const { TZ } = process.env;
  process.env.TZ = text;
  try {
    return MOMENTS.every((moment) => {
      // The time on a clock there, such as `2026-07-01T14:00:00`, is a local one for `Date`.
      const text = moment.toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T');
      return Date.parse(text) === moment.getTime();
    });
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
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
