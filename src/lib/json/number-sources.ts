import { type JsonNode, parseJsonTree } from './json-tree.ts';

/** Finds the text of a number by its path; undefined if `JSON.parse` has read it exactly. */
export type NumberSources = (...path: readonly (string | number)[]) => string | undefined;

/** Matches in every number with `.`, with `e`, or with more than 15 digits. */
const LONG_OR_FRACTION = /\d(?:[.eE]|\d{15})/;

/** A number that `JSON.parse` may have rounded; also matches in strings that look like one. */
const MAY_BE_ROUNDED = /(?:^|"[ \t\n\r]*:|[[,])[ \t\n\r]*-?(?:\d+[.eE]|\d{16})/;

/** Creates the finder of number texts in a JSON text that `JSON.parse` has accepted. */
export function numberSources(text: string): NumberSources {
  let root: JsonNode | undefined;
  let isExact: boolean | undefined;
  return (...path) => {
    isExact ??= !(LONG_OR_FRACTION.test(text) && MAY_BE_ROUNDED.test(text));
    if (isExact) return undefined;
    root ??= parseJsonTree(text);
    const node = path.reduce<JsonNode | undefined>(childOf, root);
    return node?.type === 'scalar' ? node.source : undefined;
  };
}

/** A member of an object, the last one if it is repeated, or an element of an array. */
function childOf(parent: JsonNode | undefined, key: string | number): JsonNode | undefined {
  if (parent?.type === 'object') return parent.members.findLast(({ name }) => name === key)?.node;
  return parent?.type === 'array' ? parent.elements[Number(key)] : undefined;
}
