const NOT_WHITE_SPACE = /\P{White_Space}/u;

/** Whether a text is empty or contains only Unicode white space (property White_Space). */
export function isBlank(text: string): boolean {
  return !NOT_WHITE_SPACE.test(text);
}

/**
 * The code points without the property White_Space (Unicode, PropList.txt) up to U+FFFF, as a class
 * has them. None is a line separator: what is generated from a pattern may spell out its escapes.
 */
const NOT_WHITE_SPACE_CLASS =
  '\\x00-\\x08\\x0E-\\x1F\\x21-\\x84\\x86-\\x9F\\xA1-\\u167F\\u1681-\\u1FFF' +
  '\\u200B-\\u2027\\u202A-\\u202E\\u2030-\\u205E\\u2060-\\u2FFF\\u3001-\\uFFFF';

/**
 * What a text matches that is not blank, as a regular expression for others than this program. It
 * names the code points, because not every engine knows their property, and what each of them calls
 * white space differs; those above U+FFFF are one character for some engines and two for others. It
 * covers the whole text, because some look for a match anywhere and some do not.
 */
export const NOT_BLANK_PATTERN = [
  '^[\\s\\S]*',
  `([${NOT_WHITE_SPACE_CLASS}]|[^\\x00-\\uFFFF])`,
  '[\\s\\S]*$',
].join('');
