import type { ViolationCode } from '../../lib/http/index.ts';
import { isJsonObject, type JsonObject, type JsonSchema, mapValues } from '../../lib/json/index.ts';
import { formatValue, quoted } from '../../lib/printable.ts';
import { codePointLength, type Value } from '../../lib/table/index.ts';
import {
  type Field,
  type Fields,
  type FieldValues,
  type InputKind,
  type InputMember,
  inputMemberOf,
  type Rules,
  rulesFor,
} from './field.ts';
import type { Validation } from './validation.ts';
import { isBlank, storedValue, VALUE_KINDS } from './value-kind.ts';

/** Reads the known members of an object, and records violations in the order of the fields. */
export type Validator = (object: JsonObject, validation: Validation) => FieldValues;

/** Creates the validator of an input. */
export function validatorOf(fields: Fields, input: InputKind): Validator {
  const readers = Object.entries(fields).flatMap(([name, field]) => {
    const member = inputMemberOf(field, input);
    return member === undefined ? [] : [{ name, read: readerOf(name, field, member) }];
  });
  return (object, validation) => {
    const values: Record<string, Value | null> = {};
    for (const { name, read } of readers) {
      const value = read(Object.hasOwn(object, name) ? object[name] : undefined, validation);
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
}

/**
 * Creates the reader of a member, which checks its type before its rules. A text that must not be
 * blank has one message for every way of leaving it empty, like NotBlank in Bean Validation.
 */
function readerOf(name: string, field: Field, member: InputMember) {
  const { isRequired, fallback, ifNull, notBlank } = member;
  const { fromJson, jsonForm } = VALUE_KINDS[field.kind];
  const rules = rulesOf(field, notBlank);
  return (given: unknown, validation: Validation): Value | null | undefined => {
    if (given === undefined || (given === null && ifNull === 'is absent')) {
      if (isRequired) validation.violate(name, 'required', notBlank ?? 'must be present');
      return fallback;
    }
    if (given === null) {
      if (ifNull === 'is a violation')
        validation.violate(name, 'not-null', notBlank ?? 'must not be null');
      return null;
    }
    const sent = fromJson(given);
    if (sent === undefined) return validation.violate(name, 'type', `must be ${jsonForm}`);
    const value = storedValue(sent);
    for (const { code, detail, isSatisfiedBy } of rules)
      if (!isSatisfiedBy(value)) validation.violate(name, code, detail);
    return value;
  };
}

interface Rule {
  readonly code: ViolationCode;
  readonly detail: string;
  readonly isSatisfiedBy: (value: Value) => boolean;
}

/** The rules for a value of the right type. `notBlank` is the message for a blank text. */
export function rulesOf(
  field: Pick<Field, 'kind' | 'rules' | 'identity'>,
  notBlank?: string,
): readonly Rule[] {
  const { kind } = field;
  const limits: Rules = { ...VALUE_KINDS[kind].range, ...rulesFor(field) };
  const { minLength, maxLength, minimum, maximum } = limits;
  const rules: Rule[] = [];
  const add = (code: ViolationCode, detail: string, isSatisfiedBy: Rule['isSatisfiedBy']) =>
    rules.push({ code, detail, isSatisfiedBy });
  const addForText = (code: ViolationCode, detail: string, test: (text: string) => boolean) =>
    add(code, detail, (value) => typeof value === 'string' && test(value));
  if (kind === 'text') addForText('well-formed', WELL_FORMED, (text) => text.isWellFormed());
  if (notBlank !== undefined) addForText('not-blank', notBlank, (text) => !isBlank(text));
  if (minLength !== undefined) {
    const isLong = (text: string) =>
      text.length >= 2 * minLength || codePointLength(text) >= minLength;
    addForText('min-length', `must be at least ${characters(minLength)} long`, isLong);
  }
  if (maxLength !== undefined) {
    const isShort = (text: string) =>
      text.length <= maxLength || codePointLength(text) <= maxLength;
    addForText('max-length', `must be at most ${characters(maxLength)} long`, isShort);
  }
  if (minimum !== undefined) {
    add('minimum', `must be at least ${minimum}`, (value) => !isLess(value, minimum));
  }
  if (maximum !== undefined) {
    add('maximum', `must be at most ${maximum}`, (value) => !isLess(maximum, value));
  }
  return rules;
}

/** UTF-8 cannot carry other text. */
const WELL_FORMED = 'must be well-formed Unicode, without a lone surrogate';

function isLess(a: Value, b: Value): boolean {
  return typeof a !== 'boolean' && typeof b !== 'boolean' && a < b;
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

/* Objects that are not items, such as faults. */

/** The rule for a member of an object. */
export interface MemberRule {
  readonly schema: JsonSchema;
  /** Completes the sentence "must be …". */
  readonly allowed: string;
  readonly accepts: (value: unknown) => boolean;
  /** Returns a second sentence about a value that is not accepted. */
  readonly hint?: (value: unknown) => string | undefined;
}

/** Rules by member name. Any other member is a violation. */
export type MemberRules = Readonly<Record<string, MemberRule>>;

/** The rule for a number in a range. */
export function range(
  type: 'integer' | 'number',
  minimum: number,
  maximum = Number.MAX_VALUE,
): MemberRule {
  const isBounded = maximum < Number.MAX_VALUE;
  const kind = type === 'integer' ? 'an integer' : 'a number';
  return {
    schema: { type, minimum, ...(isBounded && { maximum }) },
    allowed: `${kind}${isBounded ? ` from ${minimum} to ${maximum}` : `, at least ${minimum}`}`,
    accepts: (value) =>
      typeof value === 'number' &&
      value >= minimum &&
      value <= maximum &&
      (type === 'number' || Number.isInteger(value)),
  };
}

/** The rule for a text of well-formed Unicode, which may have to match a pattern. */
export function text(allowed: string, pattern?: RegExp): MemberRule {
  return {
    schema: { type: 'string', ...(pattern && { pattern: pattern.source }) },
    allowed,
    accepts: (value) =>
      typeof value === 'string' && value.isWellFormed() && (pattern?.test(value) ?? true),
  };
}

/** Reports that a member violates a rule. */
export type Report = (name: string, code: ViolationCode, detail: string) => void;

/**
 * Copies members that are not undefined, each checked by its rule.
 * @param unknown begins the detail for an unknown name. The known names follow
 */
export function checkedMembers(
  given: Iterable<readonly [name: string, value: unknown]>,
  rules: MemberRules,
  report: Report,
  unknown = 'use',
): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, value] of given) {
    if (value === undefined) continue;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      report(name, 'unknown', `is unknown; ${unknown} ${Object.keys(rules).join(', ')}`);
      continue;
    }
    if (!rule.accepts(value)) {
      const more = rule.hint?.(value);
      const hint = more === undefined ? '' : `; ${more}`;
      const other = isJsonObject(value) ? '' : `, not ${formatValue(value)}`;
      report(name, 'value', `must be ${rule.allowed}${other}${hint}`);
    }
    members[name] = copyOf(value);
  }
  return members;
}

/** The elements of an array with at most `maxItems`. Holes, from a program, become undefined. */
export function checkedList(
  list: unknown,
  maxItems: number,
  validation: Validation,
): readonly unknown[] {
  if (list === undefined) validation.violate([], 'required', 'must be present');
  else if (list === null) validation.violate([], 'not-null', 'must not be null');
  else if (!Array.isArray(list))
    validation.violate([], 'type', `must be an array, not ${formatValue(list)}`);
  else if (list.length <= maxItems) return Array.from<unknown>(list);
  else
    validation.violate([], 'max-items', `must have at most ${maxItems} items, not ${list.length}`);
  return [];
}

/** Checks an object from a program. @throws TypeError that names the first violation */
export function checkedObject(
  given: unknown,
  rules: MemberRules,
  failure: string,
  subject = 'it',
): Record<string, unknown> {
  const fail = (reason: string) => new TypeError(`${failure}: ${reason}`);
  if (!isJsonObject(given)) throw fail(`${subject} must be an object, not ${formatValue(given)}`);
  return checkedMembers(Object.entries(given), rules, (name, code, detail) => {
    throw fail(`${code === 'unknown' ? quoted(name) : name} ${detail}`);
  });
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  return isJsonObject(value) ? mapValues(withoutUndefined(value), copyOf) : value;
}

export function withoutUndefined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
