import { MAX_JSON_DEPTH, parseJson, tooDeep } from './json-object.ts';

/** A JSON value that keeps the digits of numbers, and repeated members. */
export type JsonNode =
  | { readonly type: 'scalar'; readonly source: string }
  | { readonly type: 'array'; readonly elements: readonly JsonNode[] }
  | { readonly type: 'object'; readonly members: readonly JsonMember[] };

/** A member of an object. */
export interface JsonMember {
  readonly name: string;
  readonly node: JsonNode;
}

/** The value of a scalar; undefined for an array or an object. */
export function scalarOf(node: JsonNode): string | number | boolean | null | undefined {
  return node.type === 'scalar' ? JSON.parse(node.source) : undefined;
}

const NUMBER_OR_WORD = /[^ \t\n\r,\]}]+/y;

const SPACE = 0x20;

/** Parses a JSON text of any type. @throws MalformedJsonError if it is not JSON, or too deep */
export function parseJsonTree(text: string): JsonNode {
  parseJson(text);
  let at = 0;
  return node(MAX_JSON_DEPTH);

  function node(levelsLeft: number): JsonNode {
    const first = next();
    if (first !== '{' && first !== '[') return { type: 'scalar', source: scalar() };
    if (levelsLeft === 0) throw tooDeep();
    if (first === '[') return { type: 'array', elements: list(']', () => node(levelsLeft - 1)) };
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
    const name = String(JSON.parse(scalar()));
    next();
    // Skips the colon.
    at++;
    return { name, node: node(levelsLeft) };
  }

  function scalar(): string {
    const start = at;
    if (text[at] === '"') {
      // Not a pattern, because many escapes would overflow the stack of its engine.
      for (at++; text[at] !== '"'; at++) if (text[at] === '\\') at++;
      at++;
    } else {
      NUMBER_OR_WORD.lastIndex = at;
      NUMBER_OR_WORD.test(text);
      at = NUMBER_OR_WORD.lastIndex;
    }
    return text.slice(start, at);
  }
}
