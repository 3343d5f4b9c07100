import { isJsonObject } from './json-object.ts';

/** Applies a JSON merge patch to a value (RFC 7396, section 2). Shares the parts that stay. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const members = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name), value));
  }
  return Object.fromEntries(members);
}

/** Splits the JSON text of an array, without white space between its elements, into theirs. */
export function* elementTexts(array: string): Generator<string> {
  let start = 1;
  let depth = 0;
  for (let at = 1; at < array.length; at++) {
    const character = array[at];
    if (character === '"') {
      while (array[++at] !== '"') if (array[at] === '\\') at++;
    } else if (character === '[' || character === '{') depth++;
    else if (depth > 0 && (character === ']' || character === '}')) depth--;
    else if (depth === 0 && (character === ',' || character === ']')) {
      if (at > start) yield array.slice(start, at);
      start = at + 1;
    }
  }
}
