import { mapValues } from '../../../lib/json/index.ts';
import { didYouMean, nearest } from '../../../lib/nearest.ts';
import type { Definition, ItemFields } from '../definition.ts';
import { type Field, type Fields, nullMarkOf } from '../field.ts';
import { InvalidInputError, type Path } from '../validation.ts';
import { ID, type ItemMember, readId, readMember } from './item-field.ts';
import { type Keywords, readKeywords } from './keywords.ts';
import { itemName, nameRefusal, namesOf, pathRefusal, type ResourceNames } from './names.ts';
import { checkRequired } from './property.ts';
import { readSamples } from './samples.ts';
import { type PlacedSchema, SchemaSource } from './schema-source.ts';

const COLLECTION = 'x-collection';

/** Names of parameters, and of members of conditions. */
const RESERVED = ['sort', 'limit', 'offset', 'search', 'where', 'and', 'or', 'not', '_'];

const PROPERTY_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]{0,63}$/;

const MAX_PROPERTIES = 50;

/**
 * Compiles the JSON Schema of an item (resource.md) to a definition.
 * @param document the JSON that has the schema
 * @param path the place of the schema; the last name is that of an item, if there is one
 * @param subject begins the message of the error
 * @throws InvalidInputError with all violations
 */
export function readResource(document: unknown, path: Path, subject: string): Definition {
  const source = new SchemaSource(document);
  const definition = definitionAt(source, path);
  if (definition !== undefined && source.violations.length === 0) return definition;
  throw new InvalidInputError(subject, source.violations);
}

function definitionAt(source: SchemaSource, path: Path): Definition | undefined {
  const schema = source.schemaAt(path);
  if (schema === undefined) return undefined;
  const keywords = readKeywords(source, schema);
  const names = readNames(source, schema, path);
  if (keywords === undefined) return undefined;
  const { placeOf } = schema;
  if (keywords.type !== 'object' || keywords.isNullable) {
    return source.report(placeOf('type'), 'value', 'must be object, the type of an item');
  }
  const { fields, members } = readMembers(source, keywords, placeOf);
  // The samples would only repeat these violations.
  if (source.violations.length > 0 || names === undefined) return undefined;
  return {
    name: names.item,
    title: `${names.item} service`,
    fields,
    columns: columnsOf(fields),
    api: {
      ...names,
      description: keywords.description ?? `Items of the type ${names.item}.`,
      searched: members.flatMap(([name, { field }]) => (isSearched(field) ? name : [])),
      examples: readSamples(source, keywords.examples, { fields, members }, placeOf('examples')),
    },
  };
}

function readNames(
  source: SchemaSource,
  { keywords, placeOf }: PlacedSchema,
  path: Path,
): ResourceNames | undefined {
  for (const keyword of Object.keys(keywords)) {
    const isNear = keyword !== COLLECTION && keyword.startsWith('x-');
    if (!isNear || nearest(keyword, [COLLECTION]) === undefined) continue;
    source.report(placeOf(keyword), 'unknown', `is unknown${didYouMean(COLLECTION)}`);
  }
  const { [COLLECTION]: collection } = keywords;
  const refusal = collection === undefined ? undefined : pathRefusal(collection);
  if (refusal !== undefined) source.report(placeOf(COLLECTION), 'value', refusal);
  const ofPath = path.at(-1);
  const title = ofPath === undefined ? keywords.title : String(ofPath);
  const place = ofPath === undefined ? placeOf('title') : path;
  if (typeof title !== 'string') {
    return source.report(place, 'required', 'must be present: the name of an item, such as Note');
  }
  const item = itemName(title);
  const ofName = nameRefusal(item);
  if (ofName !== undefined) return source.report(place, 'value', ofName);
  return namesOf(item, typeof collection === 'string' ? collection : undefined);
}

/** The members in the order of the properties. An id that is not among them comes first. */
function readMembers(
  source: SchemaSource,
  { properties = {}, required = [] }: Keywords,
  placeOf: PlacedSchema['placeOf'],
) {
  const names = Object.keys(properties);
  const place = placeOf('properties');
  if (names.every((name) => name === 'id')) {
    source.report(place, 'required', 'must have a property besides id');
  }
  if (names.length > MAX_PROPERTIES) {
    source.report(place, 'max-items', `must have at most ${MAX_PROPERTIES} properties`);
  }
  // The id is there in any case.
  checkRequired(source, required, { id: ID, ...properties }, placeOf('required'));
  const id = names.includes('id') ? readId(source, [...place, 'id']) : ID;
  const members = names.flatMap((name, i): [string, ItemMember][] => {
    if (name === 'id') return [[name, { field: id, example: undefined }]];
    const path = [...place, name];
    const refusal = propertyRefusal(name, ['id', ...names.slice(0, i)]);
    if (refusal !== undefined) return source.report(path, 'value', `${refusal}; rename it`) ?? [];
    const member = readMember(source, path, name, required.includes(name));
    return member === undefined ? [] : [[name, member]];
  });
  const fields: Fields = Object.fromEntries(members.map(([name, { field }]) => [name, field]));
  const inOrder = names.includes('id') ? fields : { id, ...fields };
  return { fields: { ...inOrder, id }, members };
}

/** The rule that the name of a property violates; undefined if there is none. */
function propertyRefusal(name: string, before: readonly string[]): string | undefined {
  if (RESERVED.includes(name)) return 'has the name of a parameter, or of a member of where';
  if (!PROPERTY_NAME.test(name) || name in Object.prototype) {
    return 'must have a name of up to 64 letters, digits, _, - and $, no digit or - first, and not that of a member of every object';
  }
  const same = before.find((each) => each.toLowerCase() === name.toLowerCase());
  return same && `differs from ${same} by letter case alone`;
}

/** Whether `search` looks at a field. */
function isSearched({ kind, rules }: Field): boolean {
  return kind === 'text' && rules?.enum === undefined;
}

/** The columns of the table: those of the fields, without rules, and marks of nulls. */
function columnsOf(fields: ItemFields): ItemFields {
  const columns = mapValues<Field, Field>(fields, (field) => {
    const { kind, nullable = false, description } = field;
    return { kind, nullable, description };
  });
  for (const [name, field] of Object.entries<Field>(fields)) {
    const mark = nullMarkOf(name, field);
    if (mark) columns[mark] = { kind: 'boolean', description: `Null in ${name}.`, default: false };
  }
  return { ...columns, id: fields.id };
}
