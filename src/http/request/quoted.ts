const MAX_LENGTH = 100;

/** Quotes what a client sent, cut to a length that fits a sentence. */
export function quoted(text: string): string {
  if (text.length <= MAX_LENGTH) return JSON.stringify(text);
  return JSON.stringify(`${text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`);
}
