import { isJsonObject, jsonPointer } from '../../../lib/json/index.ts';
import type { Integer, Kind, Value } from '../../../lib/table/index.ts';
import type { Field, JsonType, Rules } from '../field.ts';
import { jsonShape } from '../json-shape.ts';
import type { Path } from '../validation.ts';
import { VALUE_KINDS } from '../value-kind.ts';
import { valueShape } from '../value-shape.ts';
import { dateTimeKind, type Keywords, readKeywords } from './keywords.ts';
import { isSlow, patternOf } from './pattern-trial.ts';
import { LEADS_BACK, type PlacedSchema, type SchemaSource } from './schema-source.ts';

/** The maximum length of a string without `maxLength`, in code points. */
const MAX_LENGTH = 1_000;

/** The schema of a value, read as a field that no request can set yet. */
export interface ValueSchema {
  readonly field: Field;
  readonly keywords: Keywords;
  /** The default, as a field has it; undefined without one. */
  readonly default: Value | null | undefined;
  placeOf(keyword: string): Path;
}

/**
 * Reads the schema of a value: of a property, of an element, or of a member of an object.
 * @param ancestors the places of the schemas that contain it
 */
export function readValueSchema(
  source: SchemaSource,
  path: Path,
  name: string,
  ancestors: readonly string[] = [],
): ValueSchema | undefined {
  const schema = source.schemaAt(path);
  if (schema === undefined) return undefined;
  const place = jsonPointer(...schema.origin);
  if (ancestors.includes(place)) return source.report(path, 'value', LEADS_BACK);
  const keywords = readKeywords(source, schema);
  if (keywords === undefined) {
    reportWithin(source, schema, [...ancestors, place]);
    return undefined;
  }
  const { isNullable, title = name, description = title } = keywords;
  const json = readJsonType(source, schema, keywords, [...ancestors, place]);
  const rules = readRules(source, keywords, schema);
  const field: Field = {
    kind: kindOf(keywords),
    description,
    rules,
    nullable: isNullable,
    ...(json && { json }),
  };
  const value = (given: unknown, at: Path) => readValue(source, field, given, at);
  for (const [i, example] of (keywords.examples ?? []).entries()) {
    value(example, [...schema.placeOf('examples'), i]);
  }
  const { default: fallback } = keywords;
  return {
    field,
    keywords,
    default: fallback === undefined ? undefined : value(fallback, schema.placeOf('default')),
    placeOf: schema.placeOf,
  };
}

/** Reads the schemas within an invalid schema, only to report their violations, too. */
function reportWithin(
  source: SchemaSource,
  { keywords, placeOf }: PlacedSchema,
  ancestors: readonly string[],
): void {
  const { items, properties } = keywords;
  if (isJsonObject(items)) readValueSchema(source, placeOf('items'), 'an element', ancestors);
  for (const name of isJsonObject(properties) ? Object.keys(properties) : []) {
    readValueSchema(source, [...placeOf('properties'), name], name, ancestors);
  }
}

function kindOf({ type, format }: Keywords): Kind {
  switch (type) {
    case 'string':
      return dateTimeKind(type, format) ?? 'text';
    case 'integer':
      return format === 'int32' ? 'integer' : 'bigint';
    case 'array':
    case 'object':
      return 'json';
    default:
      return type;
  }
}

function readRules(source: SchemaSource, keywords: Keywords, { placeOf }: PlacedSchema): Rules {
  const { minLength = 0, maxLength, pattern, enum: allowed } = keywords;
  const kind = kindOf(keywords);
  // The texts of an enum have their own lengths.
  const usualLimit = allowed === undefined ? Math.max(MAX_LENGTH, minLength) : undefined;
  return {
    minLength: keywords.minLength,
    maxLength: kind === 'text' ? (maxLength ?? usualLimit) : undefined,
    pattern: pattern === undefined ? undefined : readPattern(source, pattern, placeOf('pattern')),
    enum: allowed,
    ...limitsWithin(kind, keywords),
  };
}

/** The limits of numbers, of which those of integers lie within the range of their kind. */
function limitsWithin(
  kind: Kind,
  { minimum, maximum }: Keywords,
): Pick<Rules, 'minimum' | 'maximum'> {
  // A limit is the nearest double, too.
  const limit = (given: Integer) => (kind === 'number' ? Number(given) : given);
  const { range } = VALUE_KINDS[kind];
  const isBelow = range !== undefined && minimum !== undefined && minimum < range.minimum;
  const isAbove = range !== undefined && maximum !== undefined && maximum > range.maximum;
  return {
    minimum: isBelow ? range.minimum : minimum && limit(minimum),
    maximum: isAbove ? range.maximum : maximum && limit(maximum),
  };
}

function readPattern(source: SchemaSource, text: string, path: Path): RegExp | undefined {
  try {
    const pattern = patternOf(text);
    if (!isSlow(pattern)) return pattern;
    const detail =
      'takes more than 50 ms for a text of 1,000 letters; repeat no group that repeats';
    return source.report(path, 'value', detail);
  } catch {
    return source.report(path, 'value', 'must be a regular expression (ECMA-262, with the flag u)');
  }
}

function readJsonType(
  source: SchemaSource,
  { placeOf }: PlacedSchema,
  { type, items, minItems = 0, maxItems, properties, required = [] }: Keywords,
  ancestors: readonly string[],
): JsonType | undefined {
  if (type === 'array') {
    const found = items && readValueSchema(source, placeOf('items'), 'an element', ancestors);
    refuseReadOnly(source, found);
    return {
      type,
      minItems,
      ...(maxItems !== undefined && { maxItems }),
      ...(found && { items: found.field }),
    };
  }
  if (type !== 'object') return undefined;
  if (properties === undefined) return { type };
  checkRequired(source, required, properties, placeOf('required'));
  const fields = Object.keys(properties).flatMap((name): [string, Field][] => {
    const path = [...placeOf('properties'), name];
    if (name === '__proto__') {
      return (
        source.report(path, 'value', 'has the name of a member of every object; rename it') ?? []
      );
    }
    const found = readValueSchema(source, path, name, ancestors);
    refuseReadOnly(source, found);
    if (found === undefined) return [];
    const { field, default: value } = found;
    const isRequired = required.includes(name);
    return [[name, { ...field, create: createOptions(isRequired, value) }]];
  });
  return { type, properties: Object.fromEntries(fields) };
}

/** How a create request treats a property, at the top or within an object. */
export function createOptions(required: boolean, value: Value | null | undefined) {
  return { required, ...(value !== undefined && { default: value }) };
}

function refuseReadOnly(source: SchemaSource, found: ValueSchema | undefined): void {
  for (const keyword of ['readOnly', 'x-updated'] as const) {
    if (!found?.keywords[keyword]) continue;
    source.report(found.placeOf(keyword), 'value', 'is for members of an item, not within them');
  }
}

/** Reports names in `required` that no property has. */
export function checkRequired(
  source: SchemaSource,
  required: readonly string[],
  properties: object,
  path: Path,
): void {
  for (const [i, name] of required.entries()) {
    if (Object.hasOwn(properties, name)) continue;
    source.report([...path, i], 'value', 'must be the name of a property');
  }
}

/** Defaults and examples are as in a create request. */
const AS_CREATED = { isStrict: true, hasDefaults: true };

/** Reads a value of a field, such as a default. Reports and returns undefined if it breaks a rule. */
function readValue(
  source: SchemaSource,
  field: Field,
  given: unknown,
  path: Path,
): Value | null | undefined {
  if (given === null && field.nullable) return null;
  const { json } = field;
  return source.read(
    json === undefined ? valueShape(field) : jsonShape(json, AS_CREATED),
    given,
    path,
  );
}
