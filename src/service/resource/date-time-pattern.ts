/*
 * Patterns of date-times for other programs. Their `\d` may match any digit of Unicode, and the
 * days of each month have to be told.
 */
const LEAP_YEAR = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const DATE =
  '(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])' +
  '|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))' +
  `|${LEAP_YEAR}-02-29)`;
const MINUTES = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
const SECONDS = ':[0-5][0-9]';

/** Of stored date-times. */
export const LOCAL_PATTERN = `^${DATE}T${MINUTES}${SECONDS}[.][0-9]{3}$`;

const FRACTION = '([.][0-9]{1,9})?';
const ZONE = `(Z|[+ -]${MINUTES})?`;

/** Of what clients may send, short and with a zone. */
export const SENT_PATTERN = `^${DATE}(T${MINUTES}(${SECONDS}${FRACTION})?${ZONE})?$`;

/** Of what a seed may have: with seconds. */
export const SEED_PATTERN = `^${DATE}T${MINUTES}${SECONDS}${FRACTION}${ZONE}$`;
