import {
  exactJsonText,
  isJsonObject,
  type JsonObject,
  mapValues,
  mergePatch,
  parseJson,
} from '../../lib/json/index.ts';
import type { Value } from '../../lib/table/index.ts';
import { type Field, type JsonType, takesNull } from './field.ts';
import { array, formatJson, type Member, object, type Shape, valueThat } from './shape.ts';
import type { Validation } from './validation.ts';
import { NOT_WELL_FORMED, nullableSchema, valueShape } from './value-shape.ts';

/** The maximum depth of an array or object. */
const MAX_DEPTH = 8;

/** The maximum bytes of its JSON text. */
const MAX_BYTES = 4096;

/** The bytes above which a text is not even made, although content has fewer. */
const MAX_MADE_BYTES = 64 * 1024;

const ANY = valueThat({}, 'a JSON value', (given): given is unknown => given !== undefined);

const ANY_OBJECT: Shape<JsonObject> = {
  schema: { type: 'object' },
  read(given, validation) {
    if (isJsonObject(given)) return given;
    return validation.violate('type', `must be an object, not ${formatJson(given)}`);
  },
};

/** How an input treats members of objects. */
export interface MemberRules {
  /** Whether unknown names are violations. */
  readonly isStrict: boolean;
  /** Whether absent members get their defaults: in a create request and a seed. */
  readonly hasDefaults: boolean;
  /** Whether it is a merge patch (RFC 7396): any member may be absent, null removes an optional one. */
  readonly isPatch?: boolean;
}

/** The shape of arrays or objects, which are stored as JSON texts. */
export function jsonShape(json: JsonType, rules: MemberRules): Shape<string> {
  const shape = typeShape(json, rules);
  const isOfType = json.type === 'array' ? Array.isArray : isJsonObject;
  return {
    get schema() {
      return shape.schema;
    },
    read(given, validation) {
      // Nothing is dropped from it. So it is refused before it is checked in depth.
      const isRefused = rules.isStrict && isOfType(given) && isLonger(given, MAX_BYTES);
      if (isRefused) return violateLength(validation);
      const value = shape.read(given, validation);
      return value === undefined ? undefined : storedText(value, validation);
    },
  };
}

/**
 * Whether the JSON text of a value has more than a number of bytes. Looks at no more of it than that;
 * a number or a word counts as one byte, so that no short value is refused.
 */
function isLonger(value: unknown, bytes: number): boolean {
  let left = bytes;
  const spend = (part: unknown): boolean => {
    left -= typeof part === 'string' ? part.length + 2 : 1;
    if (left < 0 || typeof part !== 'object' || part === null) return left < 0;
    // A program's object may have a short form.
    if (isJsonObject(part) && typeof part.toJSON === 'function') return false;
    if (Array.isArray(part)) return part.some(spend);
    for (const [name, member] of Object.entries(part)) {
      if (member !== undefined && (spend(name) || spend(member))) return true;
    }
    return false;
  };
  return spend(value);
}

/** @param bytes its length, if it is known */
function violateLength(validation: Validation, bytes?: number): undefined {
  const length = bytes === undefined ? '' : `, not ${bytes}`;
  return validation.violate(
    'max-length',
    `must be at most ${MAX_BYTES} bytes long as JSON${length}`,
  );
}

function storedText(value: unknown, validation: Validation): string | undefined {
  // Content is shorter, so these are defaults of elements.
  if (isLonger(value, MAX_MADE_BYTES)) return violateLength(validation);
  const text = exactJsonText(value, MAX_DEPTH);
  if (text === undefined) {
    if (checkLeaves(value, validation)) return undefined;
    const isTooDeep = exactJsonText(value) !== undefined;
    return isTooDeep
      ? validation.violate('value', `must be nested at most ${MAX_DEPTH} deep`)
      : validation.violate('type', 'must be JSON');
  }
  const bytes = Buffer.byteLength(text);
  return bytes <= MAX_BYTES ? text : violateLength(validation, bytes);
}

/**
 * Reports the numbers, strings and names of members of a value that are not JSON, each at its place.
 * @returns whether there are any
 */
function checkLeaves(value: unknown, validation: Validation, levels = MAX_DEPTH): boolean {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    validation.violate('type', 'must be a number of the range of a double');
    return true;
  }
  if (typeof value === 'string' && !value.isWellFormed()) {
    // The type of the string may have reported it.
    validation.violateOnce('well-formed', NOT_WELL_FORMED);
    return true;
  }
  if (levels === 0 || typeof value !== 'object' || value === null) return false;
  let isFound = false;
  for (const [name, element] of Object.entries(value)) {
    const isNameWrong = !name.isWellFormed();
    if (isNameWrong) validation.violateAt(name, 'well-formed', NOT_WELL_FORMED);
    validation.enter(name);
    const isElementWrong = checkLeaves(element, validation, levels - 1);
    validation.leave();
    isFound ||= isNameWrong || isElementWrong;
  }
  return isFound;
}

function typeShape(json: JsonType, rules: MemberRules): Shape<unknown> {
  if (json.type === 'array') {
    const { items, minItems, maxItems } = json;
    // A patch replaces an array.
    const shape = items && elementShape(items, { ...rules, isPatch: false });
    return array(shape ?? ANY, minItems, maxItems);
  }
  const { properties } = json;
  if (properties === undefined) return ANY_OBJECT;
  return object<Record<string, unknown>>(
    mapValues(properties, (field) => propertyMember(field, rules)),
    { ignores: rules.isStrict ? 'nothing' : 'unknown' },
  );
}

/** The shape of a JSON value within an array or object. */
function nestedShape(field: Field, rules: MemberRules): Shape<unknown> {
  return field.json === undefined ? valueShape(field) : typeShape(field.json, rules);
}

function elementShape(field: Field, rules: MemberRules): Shape<unknown> {
  const shape = nestedShape(field, rules);
  if (!takesNull(field)) return shape;
  return {
    get schema() {
      return nullableSchema(shape.schema, true);
    },
    read: (given, validation) => (given === null ? null : shape.read(given, validation)),
  };
}

function propertyMember(field: Field, rules: MemberRules): Member<unknown> {
  const { json, description, create: { required = false, default: value } = {} } = field;
  const shape = nestedShape(field, rules);
  const isText = json !== undefined && typeof value === 'string';
  const fallback = isText ? parseJson(value) : value;
  const { isPatch = false } = rules;
  const isNullable = isPatch ? !required : takesNull(field);
  return {
    isRequired: required && !isPatch,
    fallback: rules.hasDefaults ? fallback : undefined,
    ifNull: isNullable ? 'is a value' : undefined,
    get schema() {
      return { ...nullableSchema(shape.schema, isNullable), description };
    },
    read: (given, validation) => shape.read(given, validation),
  };
}

/**
 * The member for an object in a patch, which is merged with that of the item (RFC 7396). The merged
 * object must have the shape of the member. Without an item, as at the beginning of a patch of the list,
 * there is no value, but what would be wrong for any item is.
 */
export function mergedMember(
  name: string,
  member: Member<Value>,
  json: JsonType,
  isStrict: boolean,
): Member<Value> {
  const patch = typeShape(json, { isStrict, hasDefaults: false, isPatch: true });
  return {
    ...member,
    get schema() {
      const { description } = member.schema;
      return { ...nullableSchema(patch.schema, member.ifNull !== undefined), description };
    },
    read(given, validation) {
      const row = validation.target?.row;
      if (row !== undefined) {
        if (!isJsonObject(given)) return member.read(given, validation);
        const stored = row[name];
        const before = typeof stored === 'string' ? parseJson(stored) : undefined;
        return member.read(mergePatch(before, given), validation);
      }
      const value = patch.read(given, validation);
      if (value !== undefined) storedText(mergePatch(undefined, value), validation);
      return undefined;
    },
  };
}
