/** The names of UTC in the zone data, because no clock tells its wrong spellings apart. */
const NAME_OF_UTC = /^(?:Etc\/)?(?:UTC|UCT|GMT|GMT[+-]?0|Greenwich|Universal|Zulu)$/;

/** Moments that tell zones apart: in the time of local clocks, and since, in winter and summer. */
const MOMENTS = [
  ...['1887-03-01', '1950-07-01', '1975-01-01', '2000-07-01', '2026-01-01', '2026-07-01'],
].map((day) => new Date(`${day}T12:00:00Z`));

/** How the C library spells the time zone of the system. */
const OF_SYSTEM = '/etc/localtime';

/** Parses the value of TZ, which `Date` may not know: null is the system's; undefined if none. */
export function parseTimeZone(text: string): string | null | undefined {
  // POSIX lets implementations define what follows a colon; in the C library it is a name.
  const name = text.replace(/^:/, '');
  if (name === OF_SYSTEM || text === ':') return null;
  const canonical = canonicalName(name);
  return canonical === undefined || (canonical === 'UTC' && !NAME_OF_UTC.test(name))
    ? undefined
    : name;
}

/**
 * Sets the time zone of the process; null is that of the system.
 * @returns whether `Date` now tells its time: it takes `PST` and `europe/berlin` for UTC
 */
export function setTimeZone(name: string | null): boolean {
  delete process.env.TZ;
  if (name === null) return true;
  process.env.TZ = name;
  return MOMENTS.every((moment) => {
    // The time on a clock there, such as `2026-07-01T14:00:00`, is a local one for `Date`.
    const text = moment.toLocaleString('sv-SE', { timeZone: name }).replace(' ', 'T');
    return Date.parse(text) === moment.getTime();
  });
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
