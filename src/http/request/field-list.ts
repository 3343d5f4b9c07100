/**
 * Splits a list field (RFC 9110, section 5.6.1) in linear time at its commas, except within quoted
 * strings. Elements are trimmed and empty ones dropped; a quoted string may lack its end.
 */
export function splitList(value: string): string[] {
  const elements: string[] = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i <= value.length; i++) {
    const character = value[i];
    if (quoted) {
      if (character === '\\') i++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    if (i < value.length && (quoted || character !== ',')) continue;
    const element = value.slice(start, i).trim();
    if (element !== '') elements.push(element);
    start = i + 1;
  }
  return elements;
}
