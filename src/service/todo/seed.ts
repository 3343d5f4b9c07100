import type { Violation } from '../../lib/http/index.ts';
import { isJsonObject, type JsonObject, parseJsonBytes } from '../../lib/json/index.ts';
import { didYouMean, isClose } from '../../lib/nearest.ts';
import { formatValue, quoted } from '../../lib/printable.ts';
import { canonicalInteger, type Integer, integerIn } from '../../lib/table/index.ts';
import type { FieldValues } from '../resource/field.ts';
import { Validation } from '../resource/validation.ts';
import { validatorOf } from '../resource/validator.ts';
import type { ItemFields } from '../store/items.ts';

/** A checked seed. Every item has an id. */
export interface Seed {
  readonly items: readonly FieldValues[];
  /** The distinct names of members that are not kept. */
  readonly ignoredMembers: readonly string[];
}

/** An invalid seed. The message is one line about the first violation. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
  readonly violations: readonly Violation[];

  constructor(message: string, violations: readonly Violation[] = []) {
    super(message);
    this.violations = violations;
  }
}

/** Parses a seed in JSON, and checks it. @throws MalformedJsonError, SeedError */
export function parseSeed(bytes: Buffer, fields: ItemFields): Seed {
  return checkSeed(parseJsonBytes(bytes, isAny), fields);
}

function isAny(_: unknown): _ is unknown {
  return true;
}

/**
 * Checks a seed: an array of create requests, or an object with one such array. An item may also
 * have `completed`, an id, and the fields that the service otherwise assigns.
 * @throws SeedError with all violations
 */
export function checkSeed(seed: unknown, fields: ItemFields): Seed {
  const validation = new Validation();
  const { path, list, others } = listIn(seed, validation);
  const check = createItemCheck(fields);
  const ignored = new Set(others);
  const items: FieldValues[] = [];
  // An array of a program may have holes.
  for (const [index, item] of list.entries()) {
    // Hundreds of thousands of invalid items could fill the heap.
    if (validation.isFull) break;
    const ofItem = validation.at(...path, index);
    if (isJsonObject(item)) items.push(check(item, ofItem, ignored));
    else ofItem.violate([], 'type', `must be an object, not ${formatValue(item)}`);
  }
  const { violations } = validation;
  const [first] = violations;
  if (first === undefined) return { items, ignoredMembers: [...ignored] };
  const subject = first.pointer === '#' ? 'it' : first.pointer;
  const count = violations.length === 1 ? '' : ` (the first of ${validation.count} violations)`;
  throw new SeedError(`${subject} ${first.detail}${count}`, violations);
}

/** Finds the list of a seed; empty, with a violation, if there is none or more than one. */
function listIn(seed: unknown, validation: Validation) {
  if (Array.isArray(seed)) return { path: [], list: seed, others: [] };
  const members = isJsonObject(seed) ? Object.entries(seed) : [];
  const lists = members.filter(([, member]) => Array.isArray(member));
  const [[name = '', list] = []] = lists;
  if (Array.isArray(list) && lists.length === 1) {
    const others = members.map(([other]) => other).filter((other) => other !== name);
    return { path: [name], list, others };
  }
  const names = lists.map(([each]) => quoted(each)).join(', ');
  const several = names === '' ? '' : `; it has several: ${names}`;
  const detail = `must be an array of items, or an object with one such array${several}`;
  validation.violate([], 'type', detail);
  return { path: [], list: [], others: [] };
}

function createItemCheck(fields: ItemFields) {
  const all = Object.entries(fields);
  const validate = validatorOf(fields, 'seed');
  const withId = createIdAssigner(fields);
  return (item: JsonObject, validation: Validation, ignored: Set<string>): FieldValues => {
    const values = validate(item, validation);
    for (const name of Object.keys(item)) {
      if (Object.hasOwn(fields, name) || item[name] === undefined || ignored.has(name)) continue;
      const [suggestion] =
        all.find(
          ([known, { aliases }]) => item[known] === undefined && isClose(name, known, aliases),
        ) ?? [];
      if (suggestion === undefined) ignored.add(name);
      else validation.violate(name, 'unknown', `is unknown${didYouMean(suggestion)}`);
    }
    return withId(values, item.id, validation);
  };
}

/** Gives each item without an id the next one after the largest id before it. */
function createIdAssigner({ id: { identity } }: ItemFields) {
  const taken = new Set<Integer>();
  let largest = BigInt(identity.from) - 1n;
  return (values: FieldValues, sent: unknown, validation: Validation): FieldValues => {
    const given = integerIn(values.id);
    // An id that is not an integer is a violation already, so the item gets none.
    if (given === undefined && sent !== undefined) return values;
    const id = given ?? canonicalInteger(largest + 1n);
    // So is an id out of range.
    if (given !== undefined && (id < identity.from || id > identity.to)) return values;
    if (given === undefined && id > identity.to) {
      validation.violate('id', 'maximum', `must be given: ${identity.to} is taken`);
      return values;
    }
    if (taken.has(id)) {
      validation.violate('id', 'value', `must not be ${id}, which another item has`);
    }
    taken.add(id);
    if (id > largest) largest = BigInt(id);
    // A spread makes an object of three times the size.
    return Object.assign({}, values, { id });
  };
}
