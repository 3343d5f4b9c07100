import type { JsonSchema } from '../../lib/json/index.ts';
import { quoted } from '../../lib/printable.ts';
import { codePointLength, type Integer, type Kind, type Value } from '../../lib/table/index.ts';
import { type Field, type Rules, rulesFor } from './field.ts';
import type { Shape } from './shape.ts';
import type { Validation } from './validation.ts';
import { isBlank, NOT_BLANK_PATTERN, VALUE_KINDS } from './value-kind.ts';

/**
 * The shape of a value of a field, whose type is checked before its rules.
 * @param notBlank the message for a blank text, which Bean Validation calls NotBlank
 */
export function valueShape(
  field: Pick<Field, 'kind' | 'rules' | 'identity'>,
  notBlank?: string,
): Shape<Value> {
  const kind = VALUE_KINDS[field.kind];
  const given = rulesFor(field);
  const { minimum = kind.range?.minimum, maximum = kind.range?.maximum } = given ?? {};
  const rules: Rules = { ...given, minimum, maximum };
  const allowed = given?.enum && allowedTexts(given.enum);
  return {
    get schema() {
      const pattern = notBlank === undefined ? {} : { pattern: NOT_BLANK_PATTERN };
      return { ...requestSchemaOf(field.kind), ...limitsOf(rules), ...pattern };
    },
    read(given, validation) {
      const value = kind.fromJson(given);
      if (value === undefined) {
        return validation.violate('type', `must be ${kind.jsonForm}${roundingHint(given)}`);
      }
      if (typeof value === 'string') checkText(value, rules, allowed, notBlank, validation);
      else if (typeof value !== 'boolean') checkInteger(value, rules, validation);
      return value;
    },
  };
}

/** The shape of an operand of a filter on a field of a kind. */
export function operandShape(kind: Kind): Shape<Value> {
  const { fromOperand } = VALUE_KINDS[kind];
  const shape = valueShape({ kind });
  if (fromOperand === undefined) return shape;
  return {
    ...shape,
    read: (given, validation) => fromOperand(given) ?? shape.read(given, validation),
  };
}

/** Advises a program to pass a bigint. The integers of JSON are read with all digits. */
function roundingHint(given: unknown): string {
  const isRounded = Number.isInteger(given) && !Number.isSafeInteger(given);
  return isRounded ? '; send a bigint, because this number may be rounded' : '';
}

function checkText(
  text: string,
  { minLength = 0, maxLength = text.length, pattern }: Rules,
  allowed: AllowedTexts | undefined,
  notBlank: string | undefined,
  validation: Validation,
): void {
  if (!text.isWellFormed()) validation.violate('well-formed', NOT_WELL_FORMED);
  if (notBlank !== undefined && isBlank(text)) validation.violate('not-blank', notBlank);
  // Counts characters only if the number of UTF-16 units does not decide.
  if (text.length < 2 * minLength && codePointLength(text) < minLength) {
    validation.violate('min-length', `must be at least ${characters(minLength)} long`);
  }
  if (text.length > maxLength && codePointLength(text) > maxLength) {
    validation.violate('max-length', `must be at most ${characters(maxLength)} long`);
  }
  if (pattern !== undefined && !pattern.test(text)) {
    validation.violate('pattern', `must match the pattern ${pattern.source}`);
  }
  if (allowed !== undefined && !allowed.has(text)) {
    validation.violate('value', `must be ${allowed.list()}`);
  }
}

/** The texts of an `enum`. */
interface AllowedTexts {
  has(text: string): boolean;
  /** All of them, for a sentence. */
  list(): string;
}

/** Many texts are looked up, and listed once, because each element of an array may be checked. */
function allowedTexts(texts: readonly string[]): AllowedTexts {
  const set = new Set(texts);
  let list: string | undefined;
  return {
    has: (text) => set.has(text),
    list() {
      list ??= texts.map(quoted).join(' or ');
      return list;
    },
  };
}

/** UTF-8 cannot encode lone surrogates. */
export const NOT_WELL_FORMED = 'must be well-formed Unicode, without a lone surrogate';

function checkInteger(value: Integer, { minimum, maximum }: Rules, validation: Validation): void {
  if (minimum !== undefined && value < minimum) {
    validation.violate('minimum', `must be at least ${minimum}`);
  }
  if (maximum !== undefined && value > maximum) {
    validation.violate('maximum', `must be at most ${maximum}`);
  }
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

/** The schema of any value of a kind in a request. */
export function requestSchemaOf(kind: Kind): JsonSchema {
  const { schema, requestSchema = schema } = VALUE_KINDS[kind];
  return requestSchema;
}

/** The schema of a value that may be null. */
export function nullableSchema(schema: JsonSchema, isNullable: boolean): JsonSchema {
  const { type, enum: allowed } = schema;
  if (!isNullable || type === undefined) return schema;
  return {
    ...schema,
    type: [...new Set([type, 'null'].flat())],
    ...(Array.isArray(allowed) && { enum: [...allowed, null] }),
  };
}

/** The keywords of rules. JSON numbers cannot express the limits of 64-bit integers: `format` does. */
export function limitsOf(rules: Rules): JsonSchema {
  const keywords: Record<string, unknown> = {};
  for (const [keyword, rule] of Object.entries(rules)) {
    if (rule instanceof RegExp) keywords[keyword] = rule.source;
    else if (typeof rule !== 'bigint') keywords[keyword] = rule;
    else if (Number.isSafeInteger(Number(rule))) keywords[keyword] = Number(rule);
  }
  return keywords;
}
