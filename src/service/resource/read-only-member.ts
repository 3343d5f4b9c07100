import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../../lib/json/index.ts';
import { type Integer, integerIn, type Value } from '../../lib/table/index.ts';
import { type Field, type InputKind, takesNull } from './field.ts';
import type { Member } from './shape.ts';
import type { Validation } from './validation.ts';
import { VALUE_KINDS } from './value-kind.ts';
import { nullableSchema } from './value-shape.ts';

const ASSIGNED = 'is assigned by the service; leave it out';

/** The values that typed clients send for an id, and for a date-time, that they do not set. */
const ZERO_ID = 0;
const ZERO_TIMES = ['0001-01-01T00:00:00', '0001-01-01T00:00:00Z'];

/**
 * The member for a field that an input cannot set. Clients send back what they have read, so it may
 * have the value that the item has, or will have (api.md: "Names").
 */
export function readOnlyMember(field: Field, input: InputKind): Member<Value> {
  const { kind, json, aliases, description, ifCreated } = field;
  return {
    aliases,
    ifNull: 'is absent',
    readOnly: (input === 'create' && ifCreated) || ASSIGNED,
    get schema() {
      const { type = json?.type, format } = VALUE_KINDS[kind].schema;
      const schema = nullableSchema({ type, format }, takesNull(field));
      return { ...schema, readOnly: true, description };
    },
    read(given, validation) {
      if (input === 'create') checkInitial(field, given, validation);
      else if (validation.target === undefined) validation.violate('read-only', ASSIGNED);
      else if (field.identity !== undefined) checkOwnId(given, validation.target.id, validation);
      else checkKind(field, given, validation);
      return undefined;
    },
  };
}

/** Checks that a value is the one that a new item has, or else stands for an absent one. */
function checkInitial(field: Field, given: unknown, validation: Validation): void {
  const { kind, json, update, identity, assign, ifCreated } = field;
  const initial = identity === undefined ? field.default : ZERO_ID;
  const value = VALUE_KINDS[kind].fromJson(given);
  if (update && value === undefined) checkKind(field, given, validation);
  else if (value === undefined || !(json ? isSameJson(given, initial) : value === initial)) {
    const isZero = assign !== undefined && ZERO_TIMES.some((zero) => zero === given);
    if (!isZero) validation.violate('read-only', ifCreated ?? ASSIGNED);
  }
}

/** Whether a value is that of a JSON text. The order of members does not matter. */
function isSameJson(given: unknown, text: Value | null | undefined): boolean {
  return typeof text === 'string' && isDeepStrictEqual(given, parseJson(text));
}

/** Checks that an id is that of the item. */
function checkOwnId(given: unknown, own: Integer, validation: Validation): void {
  const id = integerIn(given);
  if (id === own) return;
  const detail = `must be the integer ${own}, as in the path`;
  validation.violate(id === undefined ? 'type' : 'read-only', detail);
}

function checkKind({ kind, json }: Field, given: unknown, validation: Validation): void {
  const { fromJson, jsonForm } = VALUE_KINDS[kind];
  const isOfType = json === undefined || Array.isArray(given) === (json.type === 'array');
  if (fromJson(given) !== undefined && isOfType) return;
  validation.violate('type', `must be ${json === undefined ? jsonForm : `an ${json.type}`}`);
}
