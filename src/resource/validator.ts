import type { JsonObject } from '../http/json.ts';
import type { Violation } from '../http/problem.ts';
import type { Value } from '../table/column.ts';
import type { Field, Fields, FieldValues, Rules } from './field.ts';
import { type Broken, presenceRules, TYPE_RULES, valueRules } from './rules.ts';

/** What came of a request body: the values to store, or every rule it breaks, in the order of the fields. */
export type Validation =
  | { readonly ok: true; readonly values: FieldValues }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/** Checks a request body. Members that are no field of the request are ignored. */
export type Validator = (body: JsonObject) => Validation;

/** Reads one member of a request: notes what it breaks, and returns the value to store, undefined for none. */
type Reader = (value: unknown, violations: Violation[]) => Value | null | undefined;

/** The validator of create requests: an absent member takes its default, null counts where the field is nullable. */
export function createValidator(fields: Fields): Validator {
  return validatorOf(fields, (name, field) => {
    const rules = field.create;
    if (rules === undefined) return undefined;
    const check = checkOf(name, field, rules);
    const { required, notNull } = presenceRules(rules);
    return (value, violations) => {
      if (value === undefined) {
        if (rules.default === undefined) violations.push(violation(name, required));
        return rules.default;
      }
      if (value !== null) return check(value, violations);
      if (field.nullable !== true) violations.push(violation(name, notNull));
      return null;
    };
  });
}

/** The validator of update requests: an absent or null member stores nothing. */
export function updateValidator(fields: Fields): Validator {
  return validatorOf(fields, (name, field) => {
    if (field.update === undefined) return undefined;
    const check = checkOf(name, field, field.update);
    return (value, violations) =>
      value === undefined || value === null ? undefined : check(value, violations);
  });
}

function validatorOf(
  fields: Fields,
  readerOf: (name: string, field: Field) => Reader | undefined,
): Validator {
  const readers = Object.entries(fields).flatMap(([name, field]) => {
    const read = readerOf(name, field);
    return read === undefined ? [] : [{ name, read }];
  });
  return (body) => {
    const values: Record<string, Value | null> = {};
    const violations: Violation[] = [];
    for (const { name, read } of readers) {
      const value = read(Object.hasOwn(body, name) ? body[name] : undefined, violations);
      if (value !== undefined) values[name] = value;
    }
    return violations.length === 0 ? { ok: true, values } : { ok: false, violations };
  };
}

/** Checks a value that is there: its type first, since no other rule makes sense for a wrong one. */
function checkOf(name: string, field: Field, rules: Rules): Reader {
  const type = TYPE_RULES[field.kind];
  if (type === undefined)
    throw new Error(`no request can carry a ${field.kind}, as ${name} would be`);
  const others = valueRules(field.kind, rules);
  return (value, violations) => {
    if (!type.holds(value)) {
      violations.push(violation(name, type));
      return undefined;
    }
    for (const rule of others) if (!rule.holds(value)) violations.push(violation(name, rule));
    return value;
  };
}

function violation(name: string, { code, detail }: Broken): Violation {
  return { pointer: `#/${name}`, code, detail };
}
