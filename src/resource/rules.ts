import type { ViolationCode } from '../http/core/problem.ts';
import type { Value } from '../table/schema/column.ts';
import { codePointLength } from '../table/text/code-points.ts';
import type { CreateOptions, Field } from './field.ts';
import { isBlank } from './text.ts';
import { VALUE_KINDS } from './value-kind.ts';

/** A requirement for a value: a stable code, and a sentence that says what is allowed. */
export interface Requirement {
  readonly code: ViolationCode;
  readonly detail: string;
}

/** A rule for the values of a field. */
export interface Rule extends Requirement {
  isSatisfiedBy(value: Value): boolean;
}

/**
 * The requirements for a member that is absent or null. A field that must not be blank has one
 * message for every way of leaving it empty, like NotBlank in Bean Validation.
 */
export function presenceRequirements({ notBlank }: CreateOptions): {
  required: Requirement;
  notNull: Requirement;
} {
  return {
    required: { code: 'required', detail: notBlank ?? 'must be present' },
    notNull: { code: 'not-null', detail: notBlank ?? 'must not be null' },
  };
}

/** The requirement for the JSON type of a value. */
export function typeRequirement({ kind }: Field): Requirement {
  return { code: 'type', detail: `must be ${VALUE_KINDS[kind].jsonForm}` };
}

/** The rules for a value of the right type; all of them are checked. */
export function rulesOf(field: Field, { notBlank }: CreateOptions = {}): readonly Rule[] {
  const { range } = VALUE_KINDS[field.kind];
  const {
    minLength,
    maxLength,
    minimum = range?.minimum,
    maximum = range?.maximum,
  } = field.rules ?? {};
  const rules: Rule[] = [];
  if (field.kind === 'text') {
    const detail = 'must be well-formed Unicode, without a lone surrogate';
    rules.push(textRule('well-formed', detail, (text) => text.isWellFormed()));
  }
  if (notBlank !== undefined) {
    rules.push(textRule('not-blank', notBlank, (text) => !isBlank(text)));
  }
  if (minLength !== undefined) {
    const detail = `must be at least ${minLength} ${plural('character', minLength)} long`;
    const isSatisfied = (text: string) =>
      text.length >= 2 * minLength || codePointLength(text) >= minLength;
    rules.push(textRule('min-length', detail, isSatisfied));
  }
  if (maxLength !== undefined) {
    const detail = `must be at most ${maxLength} ${plural('character', maxLength)} long`;
    const isSatisfied = (text: string) =>
      text.length <= maxLength || codePointLength(text) <= maxLength;
    rules.push(textRule('max-length', detail, isSatisfied));
  }
  if (minimum !== undefined) {
    const detail = `must be at least ${minimum}`;
    rules.push(numberRule('minimum', detail, (value) => value >= minimum));
  }
  if (maximum !== undefined) {
    const detail = `must be at most ${maximum}`;
    rules.push(numberRule('maximum', detail, (value) => value <= maximum));
  }
  return rules;
}

function textRule(
  code: ViolationCode,
  detail: string,
  isSatisfied: (text: string) => boolean,
): Rule {
  return {
    code,
    detail,
    isSatisfiedBy: (value) => typeof value === 'string' && isSatisfied(value),
  };
}

function numberRule(
  code: ViolationCode,
  detail: string,
  isSatisfied: (value: number | bigint) => boolean,
): Rule {
  const isSatisfiedBy = (value: Value) =>
    (typeof value === 'number' || typeof value === 'bigint') && isSatisfied(value);
  return { code, detail, isSatisfiedBy };
}

function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}
