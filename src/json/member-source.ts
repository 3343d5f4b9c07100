/**
 * Finds the source text of a member's value in a JSON object, for what `JSON.parse` loses, such as
 * the digits of a long number. If a member is repeated, the last one counts.
 * @param text a JSON object that `JSON.parse` accepts
 */
export function memberSource(text: string, name: string): string | undefined {
  let source: string | undefined;
  let at = skipSpace(text, text.indexOf('{') + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at);
    const valueStart = skipSpace(text, text.indexOf(':', keyEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    if (JSON.parse(text.slice(at, keyEnd)) === name) {
      source = text.slice(valueStart, valueEnd).trimEnd();
    }
    at = skipSpace(text, valueEnd + 1);
  }
  return source;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (' \t\n\r'.includes(text[at] ?? 'x')) at++;
  return at;
}

/** Where a value ends: before the comma or brace that follows it. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  for (;;) {
    const character = text[at] ?? '}';
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (depth === 0 && (character === ',' || character === '}')) return at;
    if (character === '{' || character === '[') depth++;
    if (character === '}' || character === ']') depth--;
    at++;
  }
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
