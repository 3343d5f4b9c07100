/**
 * Splits a field value that is a list (RFC 9110, section 5.6.1) at its commas, those within quoted
 * strings aside. Elements are trimmed, empty ones are left out. Each character is looked at once,
 * whatever the client sent; a quoted string without an end reaches to the end of the field.
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
