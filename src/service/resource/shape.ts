import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  mapValues,
  numberIn,
} from '../../lib/json/index.ts';
import { type Aliases, didYouMean, nearest } from '../../lib/nearest.ts';
import { formatValue } from '../../lib/printable.ts';
import { runToEnd } from '../../lib/steps.ts';
import { MAX_VIOLATIONS, type Validation } from './validation.ts';

/** A type of JSON values: its schema, and a function that reads and checks a value. */
export interface Shape<T> {
  readonly schema: JsonSchema;
  /**
   * Reads a value, and reports each rule that it violates. Returns a copy; undefined if the value
   * has another type.
   */
  read(given: unknown, validation: Validation): T | undefined;
}

/** A member of an object. */
export interface Member<T> extends Shape<T> {
  readonly isRequired?: boolean;
  /** The value of an absent member; undefined leaves it out. */
  readonly fallback?: T | null | undefined;
  /** The meaning of null; by default, it is a violation. */
  readonly ifNull?: 'is a value' | 'is absent' | undefined;
  /** The message if it is absent or null, in place of the usual ones. */
  readonly ifMissing?: string | undefined;
  /** Other usual names of the member, which are never accepted. */
  readonly aliases?: readonly string[] | undefined;
  /**
   * Why the object cannot set the member, as a predicate. The value is then checked, but left out of
   * the object.
   */
  readonly readOnly?: string | undefined;
}

/** The members of an object type, by name. */
export type Members<T> = { readonly [K in keyof T]-?: Member<Exclude<T[K], null | undefined>> };

interface ObjectOptions {
  /**
   * Whether unknown names and read-only members are ignored, always or beside another member. By
   * default, unknown names are violations, and read-only members are checked.
   */
  readonly ignores?: Ignores;
  /**
   * Checks combinations of members. Gets the members that are given, valid or not, and the names
   * that unknown members probably stand for.
   */
  readonly check?: (
    given: JsonObject,
    validation: Validation,
    intended: readonly (string | undefined)[],
  ) => void;
}

/** When an object ignores unknown names. */
export type Ignores = 'nothing' | 'unknown' | 'unknown beside known';

/** An object. Its violations come in the order of the members, then of the unknown names. */
export function object<T>(
  members: Members<T>,
  { ignores = 'nothing', check }: ObjectOptions = {},
): Shape<T> & { readonly members: Members<T> } {
  const byName: Readonly<Record<string, Member<unknown>>> = members;
  const known = Object.keys(byName);
  const names = known.filter((name) => byName[name]?.readOnly === undefined);
  let listOfNames: string | undefined;
  const aliases: Aliases = mapValues(byName, ({ aliases: others = [] }) => others);
  const all = Object.entries(byName).map(([name, member]) => ({ name, member }));
  const checked =
    ignores === 'nothing' ? all : all.filter(({ member }) => member.readOnly === undefined);

  return {
    members,
    get schema(): JsonSchema {
      const required = all.flatMap(({ name, member }) => (member.isRequired ? name : []));
      return {
        type: 'object',
        ...(required.length > 0 && { required }),
        properties: mapValues(byName, ({ schema }) => schema),
        ...(ignores === 'nothing' && { additionalProperties: false }),
      };
    },

    read(given, validation) {
      if (!isJsonObject(given)) {
        return validation.violate('type', `must be an object, not ${formatJson(given)}`);
      }
      const unknown = unknownIn(given);
      const hints = Math.min(MAX_HINTS_OF_OBJECT, MAX_HINTS - validation.violations.length);
      const intended = unknown.map((name, i) =>
        i < hints ? nearest(name, known, aliases) : undefined,
      );
      const values: Record<string, unknown> = {};
      for (const { name, member } of checked) {
        const memberInput = ownValue(given, name);
        // The violation of the unknown name is enough.
        if (memberInput === undefined && intended.includes(name)) continue;
        validation.enter(name);
        const value = readMember(member, memberInput, validation);
        validation.leave();
        if (value !== undefined && member.readOnly === undefined) values[name] = value;
      }
      for (const [i, name] of unknown.entries()) {
        validation.violateAt(name, 'unknown', `is unknown${hintOn(intended[i])}`);
      }
      check?.(given, validation, intended);
      // The only cast to the type of an object, whose members have been read by their shapes.
      return values as T;
    },
  };

  /** The unknown names of an object that are violations, as many as can be reported. */
  function unknownIn(given: JsonObject): readonly string[] {
    const unknown: string[] = [];
    if (ignores === 'unknown') return unknown;
    for (const name of Object.keys(given)) {
      if (given[name] === undefined) continue;
      if (known.includes(name)) {
        if (ignores === 'unknown beside known') return [];
      } else if (unknown.length < MAX_VIOLATIONS) unknown.push(name);
    }
    return unknown;
  }

  /** The end of the sentence about an unknown name. It proposes only names that can be set. */
  function hintOn(suggestion: string | undefined): string {
    if (suggestion === undefined) {
      listOfNames ??= names.join(', ');
      return `; use ${listOfNames}`;
    }
    const readOnly = byName[suggestion]?.readOnly;
    return readOnly === undefined ? didYouMean(suggestion) : `; ${suggestion} ${readOnly}`;
  }
}

/** The maximum number of violations with a hint, and of an object. Finding one takes up to 40 µs. */
const MAX_HINTS = 100;
const MAX_HINTS_OF_OBJECT = 10;

function ownValue(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function readMember(member: Member<unknown>, given: unknown, validation: Validation): unknown {
  const { ifNull, ifMissing } = member;
  if (given === undefined || (given === null && ifNull === 'is absent')) {
    if (member.isRequired) validation.violate('required', ifMissing ?? 'must be present');
    return member.fallback;
  }
  if (given !== null) return member.read(given, validation);
  if (ifNull === 'is a value') return null;
  return validation.violate('not-null', ifMissing ?? 'must not be null');
}

/** A shape whose value is made from that of another one. */
export function mapped<T, U>(
  shape: Shape<T>,
  map: (value: T, validation: Validation, given: unknown) => U | undefined,
): Shape<U> {
  return {
    get schema() {
      return shape.schema;
    },
    read(given, validation) {
      const value = shape.read(given, validation);
      return value === undefined ? undefined : map(value, validation, given);
    },
  };
}

/** An array, which can also be read in steps, of an element each. */
export interface ArrayShape<T> extends Shape<readonly T[]> {
  steps(given: unknown, validation: Validation): Generator<undefined, readonly T[] | undefined>;
}

/** An array. Holes, from a program, are read as undefined. */
export function array<T>(items: Shape<T>, minItems: number, maxItems?: number): ArrayShape<T> {
  return {
    get schema() {
      const { schema } = items;
      return { type: 'array', items: schema, ...(minItems > 0 && { minItems }), maxItems };
    },
    read(given, validation) {
      return runToEnd(this.steps(given, validation));
    },
    *steps(given, validation) {
      if (!Array.isArray(given)) {
        return validation.violate('type', `must be an array, not ${formatJson(given)}`);
      }
      const { length } = given;
      const most = maxItems ?? length;
      if (length < minItems) {
        const items = minItems === 1 ? 'one item' : `${minItems} items`;
        validation.violate('min-items', `must have at least ${items}`);
      } else if (length > most) {
        validation.violate('max-items', `must have at most ${most} items, not ${length}`);
      }
      const values: T[] = [];
      // Hundreds of thousands of invalid items could fill the heap.
      for (let i = 0; i < Math.min(length, most) && !validation.isFull; i++) {
        validation.enter(i);
        const value = items.read(given[i], validation);
        validation.leave();
        if (value !== undefined) values.push(value);
        yield;
      }
      return values;
    },
  };
}

/**
 * A value that satisfies a test.
 * @param allowed completes the sentence "must be …"
 * @param hint ends the detail of a violation
 */
export function valueThat<T>(
  schema: JsonSchema,
  allowed: string,
  test: (given: unknown) => given is T,
  hint: (given: unknown) => string = () => '',
): Shape<T> {
  return {
    schema,
    read(given, validation) {
      if (test(given)) return given;
      const detail = `must be ${allowed}, not ${formatJson(given)}${hint(given)}`;
      return validation.violate('value', detail);
    },
  };
}

/** Formats a JSON value for a sentence. A number whose fraction no double can hold is parsed as an object. */
export function formatJson(value: unknown): string {
  const isNumber = typeof value === 'object' && numberIn(value) !== undefined;
  return isNumber ? 'a number with a fraction' : formatValue(value);
}

/** A number in a range. @param hint ends the detail of a violation */
export function range(
  type: 'integer' | 'number',
  minimum: number,
  maximum?: number,
  hint?: (given: unknown) => string,
): Shape<number> {
  const kind = type === 'integer' ? 'an integer' : 'a number';
  const limits = maximum === undefined ? `, at least ${minimum}` : ` from ${minimum} to ${maximum}`;
  const inRange = valueThat(
    { type, minimum, maximum },
    kind + limits,
    (given): given is number =>
      typeof given === 'number' &&
      given >= minimum &&
      given <= (maximum ?? Number.MAX_VALUE) &&
      (type === 'number' || Number.isInteger(given)),
    hint,
  );
  if (type === 'integer') return inRange;
  return { ...inRange, read: (given, to) => inRange.read(numberIn(given) ?? given, to) };
}

/** A string of well-formed Unicode that satisfies a test. @param hint ends its violation */
export function string(
  allowed: string,
  test: (text: string) => boolean = () => true,
  hint: (text: string) => string = () => '',
): Shape<string> {
  return valueThat(
    { type: 'string' },
    allowed,
    (given): given is string => typeof given === 'string' && given.isWellFormed() && test(given),
    (given) => (typeof given === 'string' ? hint(given) : ''),
  );
}
