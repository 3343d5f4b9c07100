const NOT_WHITE_SPACE = /\P{White_Space}/u;
const SURROGATE_PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Whether a text is nothing but Unicode white space (property White_Space), or empty. */
export function isBlank(text: string): boolean {
  return !NOT_WHITE_SPACE.test(text);
}

/** The length of a text in Unicode code points. */
export function codePoints(text: string): number {
  return text.length - (text.match(SURROGATE_PAIRS)?.length ?? 0);
}
