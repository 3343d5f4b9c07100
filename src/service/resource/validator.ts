import type { JsonObject } from '../../lib/json/index.ts';
import { formatValue } from '../../lib/printable.ts';
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
import type { Validation, ViolationCode } from './validation.ts';
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
    if (sent === undefined) {
      return validation.violate(name, 'type', `must be ${jsonForm}${hintFor(given)}`);
    }
    const value = storedValue(sent);
    for (const { code, detail, isSatisfiedBy } of rules)
      if (!isSatisfiedBy(value)) validation.violate(name, code, detail);
    return value;
  };
}

/** Explains why a number of a program is refused. In JSON, the digits decide. */
function hintFor(given: unknown): string {
  return Number.isInteger(given) ? '; send a bigint, because this number may be rounded' : '';
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
