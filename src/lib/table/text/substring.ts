/**
 * A longer term is sought in linear time. The engine compares up to the whole term at each place of a
 * text, which takes a hundred times as long where both consist of few letters.
 */
const MAX_SHORT_TERM = 32;

/** Returns a test of whether texts contain a term, in a time that depends on the length of the text alone. */
export function substringTest(term: string): (text: string) => boolean {
  if (term.length <= MAX_SHORT_TERM) return (text) => text.includes(term);
  const start = term.slice(0, MAX_SHORT_TERM);
  const units = unitsOf(term);
  const borders = bordersOf(units);
  // Few texts contain the start of a term that they do not contain.
  return (text) => text.includes(start) && containsUnits(text, units, borders);
}

/** Knuth, Morris and Pratt, Fast Pattern Matching in Strings, 1977. */
function containsUnits(text: string, units: Uint16Array, borders: Uint32Array): boolean {
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && units[matched] !== unit) matched = borders[matched - 1] ?? 0;
    if (units[matched] === unit) matched++;
    if (matched === units.length) return true;
  }
  return false;
}

/** For each beginning of a term, the length of its longest proper beginning that is also its end. */
function bordersOf(units: Uint16Array): Uint32Array {
  const borders = new Uint32Array(units.length);
  let length = 0;
  for (let at = 1; at < units.length; at++) {
    while (length > 0 && units[length] !== units[at]) length = borders[length - 1] ?? 0;
    if (units[length] === units[at]) length++;
    borders[at] = length;
  }
  return borders;
}

function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  return units;
}
