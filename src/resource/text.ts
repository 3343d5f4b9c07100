const NOT_WHITE_SPACE = /\P{White_Space}/u;

/** Whether a text is nothing but Unicode white space (property White_Space), or empty. */
export function isBlank(text: string): boolean {
  return !NOT_WHITE_SPACE.test(text);
}

/** The code points with the property White_Space (Unicode, PropList.txt), as a class has them. */
const WHITE_SPACE =
  '\\x09-\\x0D\\x20\\x85\\xA0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000';

/**
 * What a text matches that is not blank, as a regular expression for others than this program. It
 * names the code points, because not every engine knows their property, and what each of them calls
 * `\\s` differs; and it covers the whole text, because some find a match anywhere and some do not.
 */
export const NOT_BLANK_PATTERN = `^[\\s\\S]*[^${WHITE_SPACE}][\\s\\S]*$`;
