import { JsonTooDeepError, MAX_JSON_DEPTH, parseJson } from './json-object.ts';

/** A JSON value with what `JSON.parse` loses: the digits of numbers, and repeated members. */
export type JsonNode =
  | JsonScalarNode
  | { readonly type: 'array'; readonly elements: readonly JsonNode[] }
  // In the order of the text; a name may be repeated.
  | { readonly type: 'object'; readonly members: readonly JsonMember[] };

/** A member of an object. */
export interface JsonMember {
  readonly name: string;
  readonly node: JsonNode;
  /** The text of its value. */
  readonly source: string;
}

/** A text, a number or a word: parsed when it is looked at, because few of too many are. */
class JsonScalarNode {
  readonly type = 'scalar';
  /** As it was written. */
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** What `JSON.parse` makes of it. */
  get value(): string | number | boolean | null {
    return JSON.parse(this.source);
  }
}

const SCALAR = /"[^"\\]*(?:\\.[^"\\]*)*"|[^ \t\n\r,\]}]+/y;

const SPACE = 0x20;

/**
 * Parses a JSON text of any type, in one pass, once `JSON.parse` has accepted it: 64 KiB take a few
 * milliseconds whatever they hold.
 * @param levels how deeply it may be nested
 * @throws MalformedJsonError when it is not JSON, JsonTooDeepError when it is nested too deeply
 */
export function parseJsonTree(text: string, levels: number = MAX_JSON_DEPTH): JsonNode {
  parseJson(text);
  let at = 0;
  return node(levels);

  function node(levelsLeft: number): JsonNode {
    const start = next();
    if (start !== '{' && start !== '[') return scalar();
    if (levelsLeft === 0) throw new JsonTooDeepError(levels);
    if (start === '[') return { type: 'array', elements: list(']', () => node(levelsLeft - 1)) };
    return { type: 'object', members: list('}', () => member(levelsLeft - 1)) };
  }

  /** The next character that is not white space. */
  function next(): string | undefined {
    while (text.charCodeAt(at) <= SPACE) at++;
    return text[at];
  }

  function list<T>(end: string, item: () => T): T[] {
    const items: T[] = [];
    at++;
    while (next() !== end) {
      items.push(item());
      if (next() === ',') at++;
    }
    at++;
    return items;
  }

  function member(levelsLeft: number): JsonMember {
    const name = String(scalar().value);
    next();
    // After the colon.
    at++;
    next();
    const start = at;
    return { name, node: node(levelsLeft), source: text.slice(start, at) };
  }

  function scalar(): JsonScalarNode {
    SCALAR.lastIndex = at;
    SCALAR.test(text);
    const source = text.slice(at, SCALAR.lastIndex);
    at = SCALAR.lastIndex;
    return new JsonScalarNode(source);
  }
}

/** The text of a member's value in the text of an object, of the last if it is repeated. */
export function memberSource(text: string, name: string): string | undefined {
  const root = parseJsonTree(text);
  const members = root.type === 'object' ? root.members : [];
  return members.findLast((each) => each.name === name)?.source;
}
