const MAX_LENGTH = 100;

/** What a client sent, as a sentence can hold it: in quotes, and cut to a length. */
export function quoted(text: string): string {
  if (text.length <= MAX_LENGTH) return JSON.stringify(text);
  return JSON.stringify(`${text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`);
}
