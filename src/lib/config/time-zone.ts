/** The names of UTC in the zone data. Node also treats misspelled names as UTC. */
const NAME_OF_UTC = /^(?:Etc\/)?(?:UTC|UCT|GMT|GMT[+-]?0|Greenwich|Universal|Zulu)$/;

/** Moments that distinguish zones, from local mean time to today, in winter and in summer. */
const MOMENTS = [
  '1887-03-01',
  '1950-07-01',
  '1975-01-01',
  '2000-07-01',
  '2026-01-01',
  '2026-07-01',
].map((day) => new Date(`${day}T12:00:00Z`));

/** The spelling of the system's time zone in the C library. */
const SYSTEM_ZONE = '/etc/localtime';

/** Parses a value of TZ. Null means the time zone of the system, undefined an invalid value. */
export function parseTimeZone(text: string): string | null | undefined {
  // POSIX does not define the text after a colon. The C library reads a name.
  const name = text.replace(/^:/, '');
  if (name === SYSTEM_ZONE || text === ':') return null;
  const canonical = canonicalName(name);
  return canonical === undefined || (canonical === 'UTC' && !NAME_OF_UTC.test(name))
    ? undefined
    : name;
}

/**
 * Sets the time zone of the process; null means the time zone of the system.
 * @returns whether `Date` uses the zone. It treats `PST` and `europe/berlin` as UTC
 */
export function setTimeZone(name: string | null): boolean {
  delete process.env.TZ;
  if (name === null) return true;
  process.env.TZ = name;
  return MOMENTS.every((moment) => {
    // Swedish dates are as in ISO 8601. `Date` parses a time without a zone, such as
    // `2026-07-01T14:00:00`, as local.
    const text = moment.toLocaleString('sv-SE', { timeZone: name }).replace(' ', 'T');
    return Date.parse(text) === moment.getTime();
  });
}

/** The spelling in the zone data, if `Intl` recognises the name. */
function canonicalName(text: string): string | undefined {
  try {
    if (!/^[A-Za-z]/.test(text)) return undefined;
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
