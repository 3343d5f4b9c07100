import type { Violation, ViolationCode } from '../../lib/http/index.ts';
import {
  isDeeperThan,
  isJsonObject,
  jsonPointer,
  jsonTextOf,
  MAX_JSON_DEPTH,
  MalformedJsonError,
  parseJson,
} from '../../lib/json/index.ts';
import { type Fields, type FieldValues, memberOf } from '../resource/field.ts';
import { type Validator, validatorOf } from '../resource/validator.ts';
import type { ItemFields } from '../store/items.ts';

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

const MAX_VIOLATIONS = 1000;

/** Parses a seed in JSON. @throws SeedError with all violations */
export function parseSeed(bytes: Buffer, fields: ItemFields) {
  try {
    return seedOf(parseJson(jsonTextOf(bytes)), fields);
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    throw new SeedError(`it ${error.message.replaceAll(/\s+/g, ' ')}; it must be JSON in UTF-8`);
  }
}

/**
 * Reads a seed: an array of create requests, which may also have `completed`, or an object with one
 * such array. `dropped` are names of members that cannot be kept, such as `id`. @throws SeedError
 */
export function seedOf(value: unknown, fields: ItemFields) {
  const { path, items, others } = listIn(value);
  const allowed = seedFields(fields);
  const validate = validatorOf(allowed, 'create');
  const dropped = new Set(others);
  const kept: FieldValues[] = [];
  const violations: Violation[] = [];
  let message: string | undefined;
  for (const [index, item] of items.entries()) {
    const found: Violation[] = [];
    const values = validated(item, validate, found);
    if (found.length === 0) {
      kept.push(values);
      for (const name in Object(item)) if (!Object.hasOwn(allowed, name)) dropped.add(name);
      continue;
    }
    message ??= messageOf(index, found);
    const prefix = jsonPointer(...path, index);
    for (const violation of found) {
      violations.push({ ...violation, pointer: prefix + violation.pointer.slice(1) });
    }
    if (violations.length >= MAX_VIOLATIONS) break;
  }
  if (message !== undefined) throw new SeedError(message, violations.slice(0, MAX_VIOLATIONS));
  return { items: kept, dropped: [...dropped] };
}

/** Finds the list of items: the value itself, or the one array in it. */
function listIn(value: unknown) {
  if (Array.isArray(value)) return { path: [], items: value, others: [] };
  const members = isJsonObject(value) ? Object.entries(value) : [];
  const arrays = members.filter(([, member]) => Array.isArray(member));
  const [[name = '', items] = []] = arrays;
  if (arrays.length === 1 && Array.isArray(items)) {
    const others = members.map(([other]) => other).filter((other) => other !== name);
    return { path: [name], items, others };
  }
  const rule = 'must be an array of items, or an object with one such array';
  throw new SeedError(`it ${rule}`, [{ pointer: '#', code: 'type', detail: rule }]);
}

function validated(item: unknown, validate: Validator, violations: Violation[]): FieldValues {
  const refuse = (code: ViolationCode, detail: string) => {
    violations.push({ pointer: '#', code, detail });
    return {};
  };
  if (!isJsonObject(item)) return refuse('type', 'must be an object');
  if (isDeeperThan(item, MAX_JSON_DEPTH)) {
    return refuse('max-depth', `is nested more than ${MAX_JSON_DEPTH} deep`);
  }
  return validate(item, () => undefined, violations);
}

function messageOf(index: number, violations: readonly Violation[]): string {
  const isWhole = violations.some(({ pointer }) => pointer === '#');
  const all = violations.map(({ pointer, detail }) => (isWhole ? detail : `${pointer} ${detail}`));
  return `the item at index ${index} ${isWhole ? '' : 'cannot be created: '}${all.join('; ')}`;
}

/** The fields that an item of a seed may have: those of a create request or an update. */
export function seedFields(fields: Fields): Fields {
  const given = Object.entries(fields).flatMap(([name, field]) => {
    if (memberOf(field, 'create')) return [[name, field] as const];
    return field.update ? [[name, { ...field, create: {} }] as const] : [];
  });
  return Object.fromEntries(given);
}
