import { shown, type Violation } from '../../lib/http/index.ts';
import { type JsonObject, jsonPointer, type NumberSources } from '../../lib/json/index.ts';
import type { Value } from '../../lib/table/index.ts';
import {
  type Field,
  type Fields,
  type FieldValues,
  type Member,
  memberOf,
  type RequestKind,
} from './field.ts';
import { storedValue } from './operand.ts';
import { kindIn, rulesOf } from './value-kind.ts';

/**
 * Reads an object of content: adds its violations, in the order of the fields, and returns the
 * values to store if there are none. Unknown members are ignored.
 * @param sources finds the texts of its numbers
 */
export type Validator = (
  object: JsonObject,
  sources: NumberSources,
  violations: Violation[],
) => FieldValues;

/** Makes the validator of a kind of requests. */
export function validatorOf(fields: Fields, request: RequestKind): Validator {
  const readers = Object.entries(fields).flatMap(([name, field]) => {
    const member = memberOf(field, request);
    return member === undefined ? [] : [{ name, read: readerOf(name, field, member, request) }];
  });
  return (object, sources, violations) => {
    const values: Record<string, Value | null> = {};
    for (const { name, read } of readers) {
      const member = Object.hasOwn(object, name) ? object[name] : undefined;
      const value = read(member, violations, sources);
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
}

/**
 * Makes what reads a member: its type before its rules. It adds the violations, and returns the
 * value to store; undefined if there is none. A text that must not be blank has one message for
 * every way of leaving it empty, like NotBlank in Bean Validation.
 */
function readerOf(name: string, field: Field, member: Member, request: RequestKind) {
  const { isRequired, fallback, ifNull, notBlank } = member;
  const { fromJson, jsonForm } = kindIn(request, field.kind);
  const rules = rulesOf(field, notBlank);
  const pointer = jsonPointer(name);
  const absent = { pointer, code: 'required', detail: notBlank ?? 'must be present' } as const;
  const isNull = { pointer, code: 'not-null', detail: notBlank ?? 'must not be null' } as const;
  return (
    given: unknown,
    violations: Violation[],
    sources: NumberSources,
  ): Value | null | undefined => {
    if (given === undefined || (given === null && ifNull === 'is absent')) {
      if (isRequired) violations.push(absent);
      return fallback;
    }
    if (given === null) {
      if (ifNull === 'is a violation') violations.push(isNull);
      return null;
    }
    const sent = fromJson(given, () => sources(name));
    if (sent === undefined) {
      // A seed is long: what it has there helps to find the place.
      const other = request === 'seed' ? `, not ${shown(given)}` : '';
      violations.push({ pointer, code: 'type', detail: `must be ${jsonForm}${other}` });
      return undefined;
    }
    const value = storedValue(sent);
    for (const { code, detail, isSatisfiedBy } of rules)
      if (!isSatisfiedBy(value)) violations.push({ pointer, code, detail });
    return value;
  };
}
