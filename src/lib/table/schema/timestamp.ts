/*
 * Patterns of date-times, to combine and to show to clients. They avoid `\d`, which matches any
 * Unicode digit in some programs.
 */

const LEAP_YEAR = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';

/** The pattern of a date that exists, from year 0 to 9999. */
export const DATE_PATTERN =
  '(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])' +
  '|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))' +
  `|${LEAP_YEAR}-02-29)`;

/** The pattern of hours and minutes. */
export const MINUTES_PATTERN = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';

/** The pattern of seconds behind minutes. */
export const SECONDS_PATTERN = ':[0-5][0-9]';

/** The pattern of a whole stored timestamp, such as 2026-11-20T09:30:00.123. */
export const TIMESTAMP_PATTERN = `^${DATE_PATTERN}T${MINUTES_PATTERN}${SECONDS_PATTERN}[.][0-9]{3}$`;
