import type { Violation } from '../../lib/http/index.ts';
import { type JsonObject, jsonPointer } from '../../lib/json/index.ts';
import { isOneLetterOff } from '../../lib/nearest.ts';
import type { FieldValues } from '../resource/field.ts';
import { MAX_VIOLATIONS, Validation } from '../resource/validation.ts';
import { validatorOf } from '../resource/validator.ts';
import type { ItemFields } from '../store/items.ts';
import { type GivenSeed, jsonSeed, SeedError } from './seed-source.ts';

/** Items to store, each with its id if one has it, and names of members that are not kept. */
export interface Seed {
  readonly items: readonly FieldValues[];
  readonly dropped: readonly string[];
}

/** How many items there may be, and how many bytes they may take. */
export interface SeedLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/**
 * Checks a seed of a program, or in JSON, an item a step: create requests, which may also have
 * `completed`, an id, and what the service otherwise assigns.
 * @param limits where too many items are refused before they are made, as they could fill the heap
 * @throws SeedError with all violations, or MalformedJsonError
 */
export function* checkSeed(
  source: GivenSeed | Buffer,
  fields: ItemFields,
  limits?: SeedLimits,
): Generator<undefined, Seed> {
  const given = Buffer.isBuffer(source) ? yield* jsonSeed(source) : source;
  if (limits) checkLength(given.length, limits);
  const check = itemCheck(fields);
  const dropped = new Set(given.others);
  const items: FieldValues[] = [];
  const violations: Violation[] = [];
  let message: string | undefined;
  for (let index = 0; index < given.length; index++) {
    const item = given.item(index);
    const path = [...given.path, index];
    if (typeof item === 'string')
      new Validation(undefined, path, violations).violate([], 'type', item);
    else {
      const validation = new Validation(item.sources, path, violations);
      items.push(yield* check(item.members, validation, dropped));
    }
    if (violations.length > 0) message ??= messageOf(index, jsonPointer(...path), violations);
    if (violations.length >= MAX_VIOLATIONS) break;
    yield;
  }
  if (message !== undefined) throw new SeedError(message, violations);
  return { items, dropped: [...dropped] };
}

/** The minimum bytes of an item: a row with a title. */
const ITEM_BYTES = 80;

function checkLength(length: number, { maxRows, maxBytes }: SeedLimits): void {
  if (length <= maxRows && length * ITEM_BYTES <= maxBytes) return;
  const limit = length > maxRows ? `MAX_ROWS (${maxRows})` : `MAX_BYTES (${maxBytes})`;
  throw new SeedError(`there are ${length} items, more than ${limit} allows`);
}

function itemCheck(fields: ItemFields) {
  const validate = validatorOf(fields, 'seed');
  const withId = idAssigner(fields);
  return function* (members: JsonObject, validation: Validation, dropped: Set<string>) {
    const values = validate(members, validation);
    for (const name of Object.keys(members)) {
      if (Object.hasOwn(fields, name) || members[name] === undefined || dropped.has(name)) continue;
      // An item may have a million unknown members.
      yield;
      const meant = meantName(name, Object.keys(fields));
      if (meant === undefined) dropped.add(name);
      else validation.violate(name, 'unknown', `is unknown; did you mean ${meant}?`);
    }
    return withId(values, members.id, validation);
  };
}

/** Names shorter than this are too short to be told from others by one letter. */
const MIN_NAME = 4;

function meantName(name: string, fields: readonly string[]): string | undefined {
  const plain = plainName(name);
  return fields.find((field) => {
    const meant = plainName(field);
    return plain === meant || (field.length >= MIN_NAME && isOneLetterOff(plain, meant));
  });
}

/** A name without case, and without `_` and `-` between letters. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/(?<=[^_-])[_-]+(?=[^_-])/g, '');
}

/** Makes what gives each item without an id the next one after the largest before it. */
function idAssigner({ id: { identity } }: ItemFields) {
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
    if (taken.has(id))
      validation.violate('id', 'value', `must not be ${id}, which another item has`);
    taken.add(id);
    if (id > largest && id <= identity.to) largest = id;
    return { ...values, id: typeof identity.from === 'bigint' ? id : Number(id) };
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
