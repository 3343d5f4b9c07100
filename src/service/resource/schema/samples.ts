import {
  exactJsonText,
  isJsonObject,
  type JsonObject,
  parseJson,
} from '../../../lib/json/index.ts';
import type { ItemApi, ItemFields } from '../definition.ts';
import type { Field } from '../field.ts';
import { contentShape } from '../item-content.ts';
import { type Path, Validation } from '../validation.ts';
import { VALUE_KINDS } from '../value-kind.ts';
import type { ItemMember } from './item-field.ts';
import type { SchemaSource } from './schema-source.ts';

/** The maximum number of samples that the page offers to add. */
const MAX_SAMPLES = 3;

interface SampleOptions {
  readonly fields: ItemFields;
  readonly members: readonly (readonly [name: string, member: ItemMember])[];
}

/**
 * The examples of the API document and the samples of the page: those that the schema has, which
 * must be valid create requests, or else one that follows from its members, if it is valid.
 */
export function readSamples(
  source: SchemaSource,
  examples: readonly unknown[] = [],
  { fields, members }: SampleOptions,
  path: Path,
): ItemApi['examples'] {
  const rules = { fields, alsoKnown: {}, isStrict: true, ignoresNull: false };
  const shape = contentShape(rules, 'create');
  const given = examples.map((example) => withoutReadOnly(example, fields));
  for (const [i, example] of given.entries()) source.read(shape, example, [...path, i]);
  const derived = sampleOf(members);
  const validation = new Validation();
  shape.read(derived, validation);
  const usual = validation.violations.length === 0 ? [derived] : [];
  const samples = (given.length > 0 ? given : usual).filter(isJsonObject).map(asJson);
  const [first = {}] = samples;
  const isComparable = ([name]: [string, unknown]) => fields[name]?.json === undefined;
  const [member] = Object.entries(first).filter(isComparable);
  const where = member === undefined ? {} : Object.fromEntries([member]);
  return {
    create: Object.fromEntries(samples.map((sample, i) => [`example ${i + 1}`, sample])),
    update: { 'a change': where },
    batch: samples.slice(0, MAX_SAMPLES),
    where: { or: [where, { id: { gte: fields.id.identity.from } }] },
  };
}

/** The sample as if it had been parsed. A program may have given values that have another form in JSON. */
function asJson(sample: JsonObject): JsonObject {
  const value = parseJson(exactJsonText(sample) ?? '');
  return isJsonObject(value) ? value : {};
}

/** An example of an item without the members that a create request cannot set. */
function withoutReadOnly(example: unknown, fields: ItemFields): unknown {
  if (!isJsonObject(example)) return example;
  const isReadOnly = (name: string) =>
    Object.hasOwn(fields, name) && fields[name]?.create === undefined;
  return Object.fromEntries(Object.entries(example).filter(([name]) => !isReadOnly(name)));
}

/** A create request with the required members, and those that have an example. */
function sampleOf(members: SampleOptions['members']): JsonObject {
  const values = members.flatMap(([name, member]): [string, unknown][] => {
    const { field, example } = member;
    if (field.create === undefined) return [];
    if (example !== undefined) return [[name, example]];
    return field.create.required ? [[name, memberSample(name, field)]] : [];
  });
  return Object.fromEntries(values);
}

/** A value that the rules of a field probably allow. */
function memberSample(name: string, { kind, json, rules = {} }: Field): unknown {
  const { minimum, enum: [first = name] = [] } = rules;
  if (json !== undefined) return json.type === 'array' ? [] : {};
  return kind === 'text' ? first : (minimum ?? VALUE_KINDS[kind].example);
}
