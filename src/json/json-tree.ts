import { checkDepth, MAX_JSON_DEPTH, parseJson } from './json-object.ts';

/**
 * A JSON value with what `JSON.parse` loses: the digits of numbers, and members that are repeated.
 */
export type JsonNode = JsonObjectNode | JsonArrayNode | JsonScalarNode;

/** An object, with repeated members. */
export interface JsonObjectNode {
  readonly type: 'object';
  /** In the order of the text; a name may be repeated. */
  readonly members: readonly { readonly name: string; readonly node: JsonNode }[];
}

/** An array. */
export interface JsonArrayNode {
  readonly type: 'array';
  readonly elements: readonly JsonNode[];
}

/** A text, a number, true, false or null. */
export interface JsonScalarNode {
  readonly type: 'scalar';
  /** What `JSON.parse` makes of it. */
  readonly value: string | number | boolean | null;
  /** As it was written. */
  readonly source: string;
}

const TOKEN = /[ \t\n\r]*([{}[\],:]|"(?:[^"\\]|\\.)*"|[^ \t\n\r{}[\],:"]+)/y;

/**
 * Parses a JSON text of any type.
 * @param levels how deeply it may be nested
 * @throws MalformedJsonError when it is not JSON, JsonTooDeepError when it is nested too deeply
 */
export function parseJsonTree(text: string, levels: number = MAX_JSON_DEPTH): JsonNode {
  checkDepth(parseJson(text), levels);
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) tokens.push(match[1] ?? '');
  let at = 0;
  return next();

  function next(): JsonNode {
    const token = tokens[at++] ?? 'null';
    if (token === '{') return { type: 'object', members: list('}', member) };
    if (token === '[') return { type: 'array', elements: list(']', next) };
    return { type: 'scalar', value: JSON.parse(token), source: token };
  }

  function list<T>(end: string, item: () => T): T[] {
    const items: T[] = [];
    while (at < tokens.length && tokens[at] !== end) {
      if (tokens[at] === ',') at++;
      items.push(item());
    }
    at++;
    return items;
  }

  function member() {
    const name = String(JSON.parse(tokens[at] ?? '""'));
    // The colon follows.
    at += 2;
    return { name, node: next() };
  }
}

/** Writes a JSON value again, as short as it can be; numbers keep their digits. */
export function textOfNode(node: JsonNode): string {
  switch (node.type) {
    case 'object': {
      const members = node.members.map(
        ({ name, node: value }) => `${JSON.stringify(name)}:${textOfNode(value)}`,
      );
      return `{${members.join()}}`;
    }
    case 'array':
      return `[${node.elements.map(textOfNode).join()}]`;
    case 'scalar':
      return typeof node.value === 'number' ? node.source : JSON.stringify(node.value);
  }
}

/**
 * The text of a member's value in a JSON object, for the digits of long numbers. If a member is
 * repeated, the last one counts.
 * @param text a JSON object that `JSON.parse` accepts
 */
export function memberSource(text: string, name: string): string | undefined {
  const root = parseJsonTree(text);
  const members = root.type === 'object' ? root.members : [];
  const member = members.findLast((each) => each.name === name);
  return member && textOfNode(member.node);
}
