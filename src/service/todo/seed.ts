import type { Violation } from '../../lib/http/index.ts';
import {
  elementTexts,
  isJsonObject,
  type JsonObject,
  jsonPointer,
  type NumberSources,
  numberSources,
  parseJsonBytes,
} from '../../lib/json/index.ts';
import { formatValue, quoted } from '../../lib/printable.ts';
import type { FieldValues } from '../resource/field.ts';
import { MAX_VIOLATIONS, Validation } from '../resource/validation.ts';
import { validatorOf } from '../resource/validator.ts';
import type { ItemFields } from '../store/items.ts';

/** A checked seed. Every item has an id. */
export interface Seed {
  readonly items: readonly FieldValues[];
  /** The distinct names of members that are not kept. */
  readonly ignoredMembers: readonly string[];
}

/** The maximum number of items, and the maximum memory for them in bytes. */
export interface SeedLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** An invalid seed. The message describes the first invalid item in one line. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
  readonly violations: readonly Violation[];

  constructor(message: string, violations: readonly Violation[] = []) {
    super(message);
    this.violations = violations;
  }
}

/** Parses a seed in JSON, and checks it. @throws MalformedJsonError, SeedError */
export function parseSeed(bytes: Buffer, fields: ItemFields, limits?: SeedLimits): Seed {
  const { value, text } = parseJsonBytes(bytes, isAny);
  // Item by item, because the number sources of a whole list would take much memory.
  const texts = elementTexts(text);
  return checkSeed(value, fields, limits, (index) => numberSources(texts[index] ?? 'null'));
}

function isAny(_: unknown): _ is unknown {
  return true;
}

/**
 * Checks a seed: an array of create requests, or an object with one such array. An item may also
 * have `completed`, an id, and what the service otherwise assigns.
 * @param limits refuses too many items before rows are made of them, which could fill the heap
 * @param sourcesOf returns the number sources of an item
 * @throws SeedError with all violations
 */
export function checkSeed(
  seed: unknown,
  fields: ItemFields,
  limits?: SeedLimits,
  sourcesOf: (index: number) => NumberSources = () => () => undefined,
): Seed {
  const { path, list, others } = listIn(seed);
  if (limits) checkLength(list.length, limits);
  const check = createItemCheck(fields);
  const ignored = new Set(others);
  const items: FieldValues[] = [];
  const violations: Violation[] = [];
  let message: string | undefined;
  for (const [index, item] of list.entries()) {
    const ofItem = new Validation(sourcesOf(index), [...path, index], violations);
    if (isJsonObject(item)) items.push(check(item, ofItem, ignored));
    else ofItem.violate([], 'type', `must be an object, not ${formatValue(item)}`);
    if (violations.length > 0)
      message ??= messageOf(index, jsonPointer(...path, index), violations);
    if (violations.length >= MAX_VIOLATIONS) break;
  }
  if (message !== undefined) throw new SeedError(message, violations);
  return { items, ignoredMembers: [...ignored] };
}

/** Finds the list of a seed. @throws SeedError if there is none, or more than one */
function listIn(seed: unknown) {
  // An array of a program may have holes.
  if (Array.isArray(seed)) return { path: [], list: Array.from<unknown>(seed), others: [] };
  const members = isJsonObject(seed) ? Object.entries(seed) : [];
  const lists = members.filter(([, member]) => Array.isArray(member));
  const [[name = '', list] = []] = lists;
  if (Array.isArray(list) && lists.length === 1) {
    const others = members.map(([other]) => other).filter((other) => other !== name);
    return { path: [name], list: Array.from<unknown>(list), others };
  }
  const names = lists.map(([each]) => quoted(each)).join(', ');
  const several = names === '' ? '' : `; it has several: ${names}`;
  const detail = `must be an array of items, or an object with one such array${several}`;
  throw new SeedError(`it ${detail}`, [{ pointer: '#', code: 'type', detail }]);
}

/** The minimum bytes of an item: a row with a title. */
const ITEM_BYTES = 80;

function checkLength(length: number, { maxRows, maxBytes }: SeedLimits): void {
  if (length <= maxRows && length * ITEM_BYTES <= maxBytes) return;
  const limit = length > maxRows ? `MAX_ROWS (${maxRows})` : `MAX_BYTES (${maxBytes})`;
  throw new SeedError(`there are ${length} items, more than ${limit} allows`);
}

function createItemCheck(fields: ItemFields) {
  const names = Object.keys(fields);
  const validate = validatorOf(fields, 'seed');
  const withId = createIdAssigner(fields);
  return (item: JsonObject, validation: Validation, ignored: Set<string>): FieldValues => {
    const values = validate(item, validation);
    for (const name of Object.keys(item)) {
      if (Object.hasOwn(fields, name) || item[name] === undefined || ignored.has(name)) continue;
      const suggestion = suggestedName(name, names);
      if (suggestion === undefined) ignored.add(name);
      else validation.violate(name, 'unknown', `is unknown; did you mean ${suggestion}?`);
    }
    return withId(values, item.id, validation);
  };
}

/** Other usual names of a field, without letter case, `_` and `-`. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  completed: ['done', 'isdone', 'iscompleted'],
};

/** Names shorter than this have too many neighbours that are one letter away. */
const MIN_LENGTH = 4;

/** The field that a name is close to: without letter case, `_` and `-`, or one letter away. */
function suggestedName(name: string, fields: readonly string[]): string | undefined {
  const plain = plainName(name);
  return fields.find((field) => {
    const meant = plainName(field);
    if (plain === meant || ALIASES[field]?.includes(plain)) return true;
    return field.length >= MIN_LENGTH && isOneLetterAway(plain, meant);
  });
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/** Whether one letter is left out, added or replaced. */
function isOneLetterAway(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  return restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1);
}

/** Gives each item without an id the next one after the largest id before it. */
function createIdAssigner({ id: { identity } }: ItemFields) {
  const taken = new Set<bigint>();
  let largest = BigInt(identity.from) - 1n;
  return (values: FieldValues, sent: unknown, validation: Validation): FieldValues => {
    const { id: given } = values;
    const isGiven = typeof given === 'number' || typeof given === 'bigint';
    // An id that is not an integer is a violation already, so the item gets none.
    if (!isGiven && sent !== undefined) return values;
    const id = isGiven ? BigInt(given) : largest + 1n;
    if (!isGiven && id > identity.to) {
      validation.violate('id', 'maximum', `must be given: ${identity.to} is taken`);
      return values;
    }
    if (taken.has(id)) {
      validation.violate('id', 'value', `must not be ${id}, which another item has`);
    }
    taken.add(id);
    if (id > largest && id <= identity.to) largest = id;
    // A spread makes an object of three times the size.
    return Object.assign({}, values, { id: typeof identity.from === 'bigint' ? id : Number(id) });
  };
}

/** @param prefix the pointer of the item */
function messageOf(index: number, prefix: string, violations: readonly Violation[]): string {
  const isWhole = violations.some(({ pointer }) => pointer === prefix);
  const all = violations.map(({ pointer, detail }) =>
    isWhole ? detail : `#${pointer.slice(prefix.length)} ${detail}`,
  );
  return `the item at index ${index} ${isWhole ? '' : 'cannot be created: '}${all.join('; ')}`;
}
