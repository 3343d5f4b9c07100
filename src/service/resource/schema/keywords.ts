import { isJson, isJsonObject } from '../../../lib/json/index.ts';
import { didYouMean, nearest } from '../../../lib/nearest.ts';
import { type Integer, integerIn } from '../../../lib/table/index.ts';
import { array, object, range, type Shape, string, valueThat } from '../shape.ts';
import type { PlacedSchema, SchemaSource } from './schema-source.ts';

/** The types of properties (JSON Schema 2020-12, Validation, section 6.1.1), except null. */
const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;

export type TypeName = (typeof TYPES)[number];

const TYPE: Shape<{ readonly name: TypeName; readonly isNullable: boolean }> = {
  schema: {},
  read(given, validation) {
    const names: readonly unknown[] = [given].flat();
    const name = TYPES.find((each) => names.includes(each));
    const isNullable = names.includes('null');
    if (name !== undefined && names.length === (isNullable ? 2 : 1)) return { name, isNullable };
    const allowed = `one of ${TYPES.join(', ')}, or an array of one of them and "null"`;
    return validation.violate('value', `must be ${allowed}`);
  },
};

/** A limit: an integer with all its digits, or another number. */
const LIMIT: Shape<Integer> = {
  schema: {},
  read: (given, validation) =>
    integerIn(given) ?? range('number', -Number.MAX_VALUE).read(given, validation),
};

const COUNT = range('integer', 0, 2 ** 31 - 1);
const ANYTHING = valueThat({}, 'a JSON value', isJson);
const OBJECT = valueThat({}, 'an object', isJsonObject);
const BOOLEAN = valueThat({}, 'true or false', (given) => typeof given === 'boolean');
const TEXT = string('a string');

/** The keywords that have an effect, as far as each can be read by itself. */
const MEMBERS = {
  type: TYPE,
  title: TEXT,
  description: TEXT,
  format: TEXT,
  default: { ...ANYTHING, ifNull: 'is a value' as const },
  examples: array(ANYTHING, 0),
  readOnly: BOOLEAN,
  'x-updated': BOOLEAN,
  const: TEXT,
  enum: array(
    valueThat(
      {},
      'a string or null',
      (given) => given === null || typeof given === 'string',
      (given) => (typeof given === 'number' ? '; numbers have minimum and maximum' : ''),
    ),
    1,
  ),
  minLength: COUNT,
  maxLength: COUNT,
  pattern: TEXT,
  minimum: LIMIT,
  maximum: LIMIT,
  items: OBJECT,
  minItems: COUNT,
  maxItems: COUNT,
  properties: OBJECT,
  required: array(TEXT, 0),
  additionalProperties: valueThat(
    {},
    'false, or absent',
    (given): given is false => given === false,
    () => '; STRICT=off ignores unknown names, and an object without properties takes any',
  ),
};

type Given = { readonly [K in keyof typeof MEMBERS]?: ValueOf<(typeof MEMBERS)[K]> };
type ValueOf<S> = S extends Shape<infer T> ? T : never;
type Keyword = keyof Given;

const GIVEN = object<Given>(MEMBERS, { ignores: 'unknown' });

/** The keywords of a schema, whose type is known. */
export interface Keywords extends Omit<Given, 'type' | 'enum' | 'const'> {
  readonly type: TypeName;
  readonly enum?: readonly string[];
  readonly isNullable: boolean;
}

/** The keywords that have an effect. */
export const KEYWORDS: readonly string[] = Object.keys(MEMBERS);

/** The keywords that fit each type. */
const BY_TYPE: Readonly<Record<TypeName, readonly Keyword[]>> = {
  string: ['enum', 'const', 'minLength', 'maxLength', 'pattern'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  boolean: [],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties'],
};

const EVERYWHERE = [
  ...(['type', 'title', 'description', 'format', 'default', 'examples', 'readOnly'] as const),
  'x-updated' as const,
];

/** Pairs of limits. */
const LIMITS = [
  ['minLength', 'maxLength'],
  ['minimum', 'maximum'],
  ['minItems', 'maxItems'],
] as const;

/** Annotations of JSON Schema and OpenAPI, and where a document keeps the targets of references. */
const ANNOTATIONS = new RegExp(
  '^(?:x-.*|[$](?:schema|id|comment|anchor|defs)|definitions|deprecated|example|externalDocs|xml' +
    '|content(?:MediaType|Encoding))$',
);

/** What to write in place of keywords that are not supported. */
const CURES: Readonly<Record<string, string>> = {
  allOf: 'write all properties in one schema, or one $ref without allOf',
  oneOf: 'use one type, an enum, or an object without properties',
  not: 'use enum or pattern',
  nullable: 'use "type": ["string", "null"]',
  exclusiveMinimum: 'use minimum',
  exclusiveMaximum: 'use maximum',
  multipleOf: 'use the type integer, or leave it out',
  prefixItems: 'use items',
  writeOnly: 'leave it out: every member can be read',
  patternProperties: 'use properties, or an object without any',
  minProperties: 'use required',
};

/** Reads the keywords of a schema. Each must be supported for its type. */
export function readKeywords(source: SchemaSource, schema: PlacedSchema): Keywords | undefined {
  const count = source.violations.length;
  const { keywords, isOrNull, placeOf } = schema;
  const { type: declared, ...given } = source.readKeywords(GIVEN, schema) ?? {};
  const { const: constant, enum: listed, ...others } = given;
  const allowed = constant === undefined ? listed : [constant];
  if (constant !== undefined && listed?.includes(constant) === false) {
    source.report(placeOf('const'), 'value', 'must be one of enum');
  }
  const type = declared?.name ?? (allowed === undefined ? undefined : 'string');
  const hasNull = allowed?.includes(null) ?? false;
  const isNullable = declared?.isNullable ?? hasNull;
  if (allowed !== undefined && hasNull !== isNullable) {
    const rule = isNullable
      ? 'must have null, which the type has'
      : 'must not have null, unless the type has it';
    source.report(placeOf(constant === undefined ? 'enum' : 'const'), 'value', rule);
  }
  const fitting = fittingKeywords(type, others.format);
  for (const keyword of Object.keys(keywords)) {
    if (ANNOTATIONS.test(keyword) || fitting.some((each) => each === keyword)) continue;
    source.report(placeOf(keyword), 'unknown', unsupported(keyword, type, fitting));
  }
  for (const [least, most] of LIMITS) {
    const [from, to] = [others[least], others[most]];
    if (from === undefined || to === undefined || from <= to) continue;
    source.report(placeOf(most), 'value', `must be at least ${least}, ${from}`);
  }
  if (source.violations.length > count) return undefined;
  if (type !== undefined) {
    const texts = allowed && { enum: allowed.filter((each) => each !== null) };
    return { ...others, ...texts, type, isNullable: isNullable || isOrNull };
  }
  const detail = `must be present: one of ${TYPES.join(', ')}`;
  return source.report(placeOf('type'), 'required', detail);
}

/** The keywords that a schema of a type may have; all of them without a type. */
function fittingKeywords(type: TypeName | undefined, format?: string): readonly Keyword[] {
  if (type === undefined) return KEYWORDS.filter(isKeyword);
  // The format is the rule of a date-time.
  return dateTimeKind(type, format) ? EVERYWHERE : [...EVERYWHERE, ...BY_TYPE[type]];
}

function isKeyword(name: string): name is Keyword {
  return KEYWORDS.includes(name);
}

/** The kind of a date-time: with a zone, or of the service's zone. Other formats are annotations. */
export function dateTimeKind(type: TypeName, format?: string): 'instant' | 'timestamp' | undefined {
  if (type !== 'string') return undefined;
  return format === 'date-time'
    ? 'instant'
    : format === 'date-time-local'
      ? 'timestamp'
      : undefined;
}

/** The detail about a keyword that a schema must not have: what to do instead. */
function unsupported(
  keyword: string,
  type: TypeName | undefined,
  fitting: readonly Keyword[],
): string {
  if (Object.hasOwn(CURES, keyword)) return `is not supported; ${CURES[keyword]}`;
  const isKnown = isKeyword(keyword);
  const [limit] = /^m(?:in|ax)/.exec(keyword) ?? [];
  const similar = limit && isKnown && fitting.find((each) => each.startsWith(limit));
  const meant = similar || nearest(keyword, fitting);
  const scope = isKnown && type !== undefined ? ` for the type ${type}` : '';
  const usual = `; leave it out, or use ${fitting.join(', ')}`;
  const help = meant === undefined ? usual : didYouMean(meant);
  return `is not supported${scope}${help}`;
}
