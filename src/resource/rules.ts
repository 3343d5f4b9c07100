import type { ViolationCode } from '../http/core/problem.ts';
import type { Value } from '../table/schema/column.ts';
import { codePointLength } from '../table/text/code-points.ts';
import type { Field } from './field.ts';
import { VALUE_KINDS } from './value-kind.ts';

/** A rule for values: a stable code, a sentence that says what is allowed, and a test. */
export interface Rule {
  readonly code: ViolationCode;
  readonly detail: string;
  readonly isSatisfiedBy: (value: Value) => boolean;
}

/** The rules for a value of the right type. `notBlank` is the message for a blank text. */
export function rulesOf(
  { kind, rules: limits = {} }: Pick<Field, 'kind' | 'rules'>,
  notBlank?: string,
): readonly Rule[] {
  const { range } = VALUE_KINDS[kind];
  const { minLength, maxLength, minimum = range?.minimum, maximum = range?.maximum } = limits;
  const rules: Rule[] = [];
  const add = (code: ViolationCode, detail: string, isSatisfiedBy: Rule['isSatisfiedBy']) =>
    rules.push({ code, detail, isSatisfiedBy });
  const addForText = (code: ViolationCode, detail: string, test: (text: string) => boolean) =>
    add(code, detail, (value) => typeof value === 'string' && test(value));
  if (kind === 'text') addForText('well-formed', WELL_FORMED, (text) => text.isWellFormed());
  if (notBlank !== undefined) addForText('not-blank', notBlank, (text) => !isBlank(text));
  if (minLength !== undefined) {
    const detail = `must be at least ${minLength} ${characters(minLength)} long`;
    const isLong = (text: string) =>
      text.length >= 2 * minLength || codePointLength(text) >= minLength;
    addForText('min-length', detail, isLong);
  }
  if (maxLength !== undefined) {
    const detail = `must be at most ${maxLength} ${characters(maxLength)} long`;
    const isShort = (text: string) =>
      text.length <= maxLength || codePointLength(text) <= maxLength;
    addForText('max-length', detail, isShort);
  }
  if (minimum !== undefined) {
    add('minimum', `must be at least ${minimum}`, (value) => !isLess(value, minimum));
  }
  if (maximum !== undefined) {
    add('maximum', `must be at most ${maximum}`, (value) => !isLess(maximum, value));
  }
  return rules;
}

/** What a text must be; UTF-8 can carry no other. */
export const WELL_FORMED = 'must be well-formed Unicode, without a lone surrogate';

function isLess(a: Value, b: Value): boolean {
  return typeof a !== 'boolean' && typeof b !== 'boolean' && a < b;
}

function characters(count: number): string {
  return count === 1 ? 'character' : 'characters';
}

/** What most texts that are not blank contain. */
const VISIBLE_ASCII = /[!-~]/;

/** Whether a text is empty or contains only Unicode white space (property White_Space). */
export function isBlank(text: string): boolean {
  // The property takes V8 half a millisecond of the start, unless it waits until it is needed.
  return !VISIBLE_ASCII.test(text) && !/\P{White_Space}/u.test(text);
}

/**
 * The code points up to U+FFFF without the property White_Space (Unicode, PropList.txt), as a
 * character class without line separators, which generators may put into code as they are.
 */
const NOT_WHITE_SPACE_CLASS =
  '\\x00-\\x08\\x0E-\\x1F\\x21-\\x84\\x86-\\x9F\\xA1-\\u167F\\u1681-\\u1FFF' +
  '\\u200B-\\u2027\\u202A-\\u202E\\u2030-\\u205E\\u2060-\\u2FFF\\u3001-\\uFFFF';

/**
 * A pattern of texts that are not blank, for other programs: engines disagree on what white space
 * is, on whether a code point above U+FFFF is one character, and on whether to match anywhere.
 */
export const NOT_BLANK_PATTERN = [
  '^[\\s\\S]*',
  `([${NOT_WHITE_SPACE_CLASS}]|[^\\x00-\\uFFFF])`,
  '[\\s\\S]*$',
].join('');
