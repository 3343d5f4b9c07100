import type { ViolationCode } from '../http/core/problem.ts';
import type { Value } from '../table/schema/column.ts';
import { codePointLength } from '../table/text/code-points.ts';
import type { CreateOptions, Field } from './field.ts';
import { isBlank } from './text.ts';
import { VALUE_KINDS } from './value-kind.ts';

/** What is demanded of a value: the code a client branches on, the sentence that says it. */
export interface Demand {
  readonly code: ViolationCode;
  readonly detail: string;
}

/** A rule for the values of a field. */
export interface Rule extends Demand {
  isKeptBy(value: Value): boolean;
}

/**
 * What is demanded of a member that is absent, or null. A field that must not be blank says so
 * then, too: its sentence is the answer to every way of leaving it empty, as with Bean Validation's
 * NotBlank.
 */
export function presenceDemands({ notBlank }: CreateOptions): {
  required: Demand;
  notNull: Demand;
} {
  return {
    required: { code: 'required', detail: notBlank ?? 'must be present' },
    notNull: { code: 'not-null', detail: notBlank ?? 'must not be null' },
  };
}

/** What is demanded of a value that has another JSON type. */
export function typeDemand({ kind }: Field): Demand {
  return { code: 'type', detail: `must be ${VALUE_KINDS[kind].jsonForm}` };
}

/** The rules that a value of the right type must keep, all of them checked. */
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
    const isKept = (text: string) =>
      text.length >= 2 * minLength || codePointLength(text) >= minLength;
    rules.push(textRule('min-length', detail, isKept));
  }
  if (maxLength !== undefined) {
    const detail = `must be at most ${maxLength} ${plural('character', maxLength)} long`;
    const isKept = (text: string) => text.length <= maxLength || codePointLength(text) <= maxLength;
    rules.push(textRule('max-length', detail, isKept));
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

function textRule(code: ViolationCode, detail: string, isKept: (text: string) => boolean): Rule {
  return { code, detail, isKeptBy: (value) => typeof value === 'string' && isKept(value) };
}

function numberRule(
  code: ViolationCode,
  detail: string,
  isKept: (value: number | bigint) => boolean,
): Rule {
  const isKeptBy = (value: Value) =>
    (typeof value === 'number' || typeof value === 'bigint') && isKept(value);
  return { code, detail, isKeptBy };
}

function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}
