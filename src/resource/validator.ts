import type { Violation } from '../http/core/problem.ts';
import type { JsonObject } from '../json/json-object.ts';
import { jsonPointer } from '../json/json-pointer.ts';
import { memberSource } from '../json/json-tree.ts';
import type { Value } from '../table/schema/column.ts';
import {
  type CreateOptions,
  createDefaultOf,
  createOptionsOf,
  type Field,
  type Fields,
  type FieldValues,
} from './field.ts';
import { presenceRequirements, type Requirement, rulesOf, typeRequirement } from './rules.ts';
import { VALUE_KINDS } from './value-kind.ts';

/**
 * The outcome of a validation: the values to store, or all violations in the order of the fields.
 */
export type Validation =
  | { readonly ok: true; readonly values: FieldValues }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/**
 * Validates the content of a request. Unknown members are ignored.
 * @param text the text that the object was parsed from
 */
export type Validator = (object: JsonObject, text: string) => Validation;

/** Reads a member: adds its violations, and returns the value to store, or undefined for none. */
type MemberReader = (
  member: unknown,
  violations: Violation[],
  text: string,
) => Value | null | undefined;

/**
 * Makes the validator of create requests: an absent member takes its default, and null is a value
 * if the field is nullable.
 */
export function createValidator(fields: Fields): Validator {
  return validatorOf(fields, (name, field) => {
    const options = createOptionsOf(field);
    if (options === undefined) return undefined;
    const read = valueReader(name, field, options);
    const fallback = createDefaultOf(field);
    const { required, notNull } = presenceRequirements(options);
    return (member, violations, text) => {
      if (member === undefined) {
        if (fallback === undefined) violations.push(violation(name, required));
        return fallback;
      }
      if (member !== null) return read(member, violations, text);
      if (field.nullable !== true) violations.push(violation(name, notNull));
      return null;
    };
  });
}

/** Makes the validator of update requests: an absent or null member stores nothing. */
export function updateValidator(fields: Fields): Validator {
  return validatorOf(fields, (name, field) => {
    if (field.update !== true) return undefined;
    const read = valueReader(name, field);
    return (member, violations, text) =>
      member === undefined || member === null ? undefined : read(member, violations, text);
  });
}

/**
 * Makes the validator of patches (RFC 7396): an absent member stores nothing, and null removes the
 * value if the field is nullable.
 */
export function patchValidator(fields: Fields): Validator {
  return validatorOf(fields, (name, field) => {
    if (field.update !== true) return undefined;
    const read = valueReader(name, field);
    const { notNull } = presenceRequirements({});
    return (member, violations, text) => {
      if (member === undefined) return undefined;
      if (member !== null) return read(member, violations, text);
      if (field.nullable !== true) violations.push(violation(name, notNull));
      return null;
    };
  });
}

function validatorOf(
  fields: Fields,
  readerOf: (name: string, field: Field) => MemberReader | undefined,
): Validator {
  const readers = Object.entries(fields).flatMap(([name, field]) => {
    const read = readerOf(name, field);
    return read === undefined ? [] : [{ name, read }];
  });
  return (object, text) => {
    const values: Record<string, Value | null> = {};
    const violations: Violation[] = [];
    for (const { name, read } of readers) {
      const member = Object.hasOwn(object, name) ? object[name] : undefined;
      const value = read(member, violations, text);
      if (value !== undefined) values[name] = value;
    }
    return violations.length === 0 ? { ok: true, values } : { ok: false, violations };
  };
}

/** Reads a value that is present: its type first, since no other rule applies to a wrong type. */
function valueReader(name: string, field: Field, options?: CreateOptions): MemberReader {
  const { fromJson } = VALUE_KINDS[field.kind];
  const ofType = typeRequirement(field);
  const rules = rulesOf(field, options);
  return (member, violations, text) => {
    const value = fromJson(member, () => memberSource(text, name));
    if (value === undefined) violations.push(violation(name, ofType));
    else {
      for (const rule of rules)
        if (!rule.isSatisfiedBy(value)) violations.push(violation(name, rule));
    }
    return value;
  };
}

function violation(name: string, { code, detail }: Requirement): Violation {
  return { pointer: jsonPointer(name), code, detail };
}
