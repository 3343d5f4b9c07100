import type { Violation } from '../../lib/http/index.ts';
import {
  findJsonList,
  isJsonObject,
  type JsonList,
  type JsonObject,
  MAX_JSON_DEPTH,
  MalformedJsonError,
  type NumberSources,
  numberSources,
  parseJson,
} from '../../lib/json/index.ts';
import { formatValue } from '../../lib/printable.ts';

/** A seed as it was given, of which the items are not checked yet. */
export interface GivenSeed extends Omit<JsonList, 'elementText'> {
  /** An item and the texts of its numbers, or what is wrong with it. @throws MalformedJsonError */
  item(index: number): { members: JsonObject; sources?: NumberSources } | string;
}

/** An invalid seed; the message says in one line where it is wrong, and how. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
  /** Everything that is wrong, each with its pointer. */
  readonly violations: readonly Violation[];

  constructor(message: string, violations: readonly Violation[] = []) {
    super(message);
    this.violations = violations;
  }
}

const NO_LIST = 'must be an array of items, or an object with one such array';

function noList(): SeedError {
  return new SeedError(`it ${NO_LIST}`, [{ pointer: '#', code: 'type', detail: NO_LIST }]);
}

/** Reads a seed in JSON, in steps. @throws MalformedJsonError, or SeedError if there is no list */
export function* jsonSeed(bytes: Buffer): Generator<undefined, GivenSeed> {
  const list = yield* findJsonList(bytes);
  if (list === undefined) throw noList();
  return {
    ...list,
    item(index) {
      const text = list.elementText(index);
      if (text === undefined) return `is nested more than ${MAX_JSON_DEPTH} deep`;
      const value = elementOf(text, index);
      if (!isJsonObject(value)) return mustBeObject(value);
      return { members: value, sources: numberSources(text) };
    },
  };
}

function elementOf(text: string, index: number): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    throw new MalformedJsonError(`${error.message} at index ${index}`);
  }
}

/** Copies a seed of a program. @throws SeedError if there is no list */
export function programSeed(value: unknown): GivenSeed {
  const { path, list, others } = listIn(value);
  const items = list.map((item) => (isJsonObject(item) ? { ...item } : item));
  return {
    path,
    others,
    length: items.length,
    item(index) {
      const members = items[index];
      return isJsonObject(members) ? { members } : mustBeObject(members);
    },
  };
}

function listIn(value: unknown) {
  // An array may have holes.
  if (Array.isArray(value)) return { path: [], list: Array.from<unknown>(value), others: [] };
  const members = isJsonObject(value) ? Object.entries(value) : [];
  const [[name = '', list] = [], ...more] = members.filter(([, member]) => Array.isArray(member));
  if (!Array.isArray(list) || more.length > 0) throw noList();
  const others = members.map(([other]) => other).filter((other) => other !== name);
  return { path: [name], list: Array.from<unknown>(list), others };
}

function mustBeObject(value: unknown): string {
  return `must be an object, not ${formatValue(value)}`;
}
