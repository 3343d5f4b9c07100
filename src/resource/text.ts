const NOT_WHITE_SPACE = /\P{White_Space}/u;

/** Whether a text is nothing but Unicode white space (property White_Space), or empty. */
export function isBlank(text: string): boolean {
  return !NOT_WHITE_SPACE.test(text);
}
