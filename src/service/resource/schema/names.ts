import type { ItemApi } from '../definition.ts';

/** The names of a resource in its API. */
export type ResourceNames = Pick<ItemApi, 'item' | 'items' | 'words' | 'collection'>;

/** The schemas of the API document, and the nouns of its `get…` operations. No item has such a name. */
export const TAKEN_NAMES: readonly string[] = [
  ...['Journal', 'JournalEntry', 'ListedFaults', 'ListedFault', 'Faults', 'Fault', 'Seed'],
  ...['Lists', 'ListedList', 'NamedList', 'Problem', 'Violation', 'NotBlank'],
  ...['Metrics', 'Requests', 'Liveness', 'Readiness', 'Page', 'ApiDocument'],
];

/** Names of common types, which generated clients would hide (`typing.List` of Python). */
const COMMON_TYPES = [
  ...['Any', 'Array', 'Boolean', 'Date', 'Dict', 'Double', 'Enum', 'Error', 'Exception', 'Float'],
  ...['Function', 'Integer', 'List', 'Long', 'Map', 'None', 'Number', 'Object', 'Optional'],
  ...['Promise', 'Record', 'Set', 'String', 'Symbol', 'Void'],
];

/** The first segments of the paths of the service. */
const TAKEN_SEGMENTS = ['livez', 'readyz', 'metrics', 'admin', 'lists', 'openapi.json'];

const NAME = /^[A-Z][A-Za-z0-9]{0,63}$/;

/** A path of segments of unreserved characters (RFC 3986, 2.3), none of them a dot segment. */
const PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/;

/** The name of an item by a title: without hyphens, the words joined, each with a capital. */
export function itemName(title: string): string {
  return title
    .replaceAll('-', '')
    .replaceAll(/(?:^| +)([a-z]?)/g, (_, letter: string) => letter.toUpperCase())
    .trim();
}

/** The rule that the name of an item violates; undefined if there is none. */
export function nameRefusal(item: string): string | undefined {
  if (!NAME.test(item)) {
    return 'must be a name such as Note or To-do item: up to 64 letters (A to Z), digits, spaces and hyphens, a letter first';
  }
  const isCommon = COMMON_TYPES.includes(item);
  if (!isCommon && !TAKEN_NAMES.includes(item)) return undefined;
  const owner = isCommon ? 'a common type' : 'another part of the API';
  return `is the name of ${owner}; use another one, such as ${item}Item`;
}

/** The names that follow from that of an item. @param collection a path that replaces the usual one */
export function namesOf(item: string, collection?: string): ResourceNames {
  const items = pluralOf(item);
  const one = wordsOf(item);
  const many = pluralOf(one);
  const usual = `/api/${items.charAt(0).toLowerCase()}${items.slice(1)}`;
  const words = {
    heading: many.charAt(0).toUpperCase() + many.slice(1),
    one,
    many,
    none: `There are no ${many} yet.`,
  };
  return { item, items, words, collection: collection ?? usual };
}

/** A name in words: `TodoItem` is "todo item", `APIKey` "api key", `VitaminC` "vitamin c". */
function wordsOf(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])[A-Z]|(?<!^)[A-Z](?=[a-z])/g, ' $&').toLowerCase();
}

/** The rule that the path of a collection violates; undefined if there is none. */
export function pathRefusal(path: unknown): string | undefined {
  if (typeof path !== 'string' || !PATH.test(path)) {
    return 'must be a path such as /todos or /v1/people, of segments of A-Z a-z 0-9 . _ - ~';
  }
  const [, first = ''] = path.split('/');
  return TAKEN_SEGMENTS.includes(first)
    ? `must not be at or below /${first}, a path of the service`
    : undefined;
}

/** The plain rule of English. For other words, `x-collection` sets the path, and only that. */
function pluralOf(word: string): string {
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}
