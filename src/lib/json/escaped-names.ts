/** A string, a bracket or a brace, or another scalar. */
const TOKEN = /"(?:[^"\\]+|\\.)*"|[[\]{}]|[^"[\]{}:,\s]+/g;

/**
 * Parses a JSON text that `JSON.parse` accepts, because of its escaped names: in place of one, V8 may
 * read the name of an earlier object that has a backslash (https://github.com/nodejs/node/issues/63785).
 */
export function parsedWithEscapedNames(text: string): unknown {
  const pattern = new RegExp(TOKEN);
  const next = (): string => pattern.exec(text)?.[0] ?? '';
  return valueAt(next());

  function valueAt(token: string): unknown {
    if (token === '[') {
      const elements: unknown[] = [];
      for (let each = next(); each !== ']'; each = next()) elements.push(valueAt(each));
      return elements;
    }
    if (token === '{') {
      const members: [string, unknown][] = [];
      for (let name = next(); name !== '}'; name = next()) {
        members.push([JSON.parse(name), valueAt(next())]);
      }
      return Object.fromEntries(members);
    }
    // Also a string without escape sequences: a part of the text would keep all of it in memory.
    return JSON.parse(token);
  }
}
