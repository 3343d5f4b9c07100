/**
 * The texts of the elements of an array in a JSON text that `JSON.parse` has accepted: the text is
 * this array, or an object with one member that is an array (if it is repeated, the last counts).
 */
export function elementTexts(text: string): readonly string[] {
  const listDepth = text.trimStart().startsWith('[') ? 1 : 2;
  let texts: string[] = [];
  let depth = 0;
  /** The beginning of an element; undefined outside of the array. */
  let start: number | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    const isOfList = depth === listDepth && start !== undefined;
    if (character === '"') at = endOfString(text, at);
    else if (character === '[' || character === '{') {
      depth++;
      if (depth === listDepth && character === '[') [texts, start] = [[], at + 1];
    } else if (character === ',' && isOfList) {
      texts.push(text.slice(start, at));
      start = at + 1;
    } else if (character === ']' || character === '}') {
      depth--;
      if (!isOfList) continue;
      texts.push(text.slice(start, at));
      start = undefined;
    }
  }
  return texts;
}

/** The index of the closing quotation mark. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; text[at] !== '"'; at++) if (text[at] === '\\') at++;
  return at;
}
