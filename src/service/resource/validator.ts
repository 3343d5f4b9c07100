import { shown } from '../../lib/http/index.ts';
import type { JsonObject } from '../../lib/json/index.ts';
import type { Value } from '../../lib/table/index.ts';
import {
  type Field,
  type Fields,
  type FieldValues,
  type Member,
  memberOf,
  type RequestKind,
} from './field.ts';
import type { Validation } from './validation.ts';
import { kindIn, rulesOf, storedValue } from './value-kind.ts';

/**
 * Reads an object of content: notes its violations, in the order of the fields, and returns the
 * values to store if there are none. Unknown members are ignored.
 */
export type Validator = (object: JsonObject, validation: Validation) => FieldValues;

/** Makes the validator of a kind of requests. */
export function validatorOf(fields: Fields, request: RequestKind): Validator {
  const readers = Object.entries(fields).flatMap(([name, field]) => {
    const member = memberOf(field, request);
    return member === undefined ? [] : [{ name, read: readerOf(name, field, member, request) }];
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
 * Makes what reads a member: its type before its rules. It returns the value to store; undefined if
 * there is none. A text that must not be blank has one message for every way of leaving it empty,
 * like NotBlank in Bean Validation.
 */
function readerOf(name: string, field: Field, member: Member, request: RequestKind) {
  const { isRequired, fallback, ifNull, notBlank } = member;
  const { fromJson, jsonForm } = kindIn(request, field.kind);
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
    const sourceOf = () => validation.sourceOf(name);
    const sent = fromJson(given, sourceOf);
    if (sent === undefined) {
      // A seed is long: what it has there helps to find the place.
      const other = request === 'seed' ? `, not ${shown(given, sourceOf())}` : '';
      return validation.violate(name, 'type', `must be ${jsonForm}${other}`);
    }
    const value = storedValue(sent);
    for (const { code, detail, isSatisfiedBy } of rules)
      if (!isSatisfiedBy(value)) validation.violate(name, code, detail);
    return value;
  };
}
