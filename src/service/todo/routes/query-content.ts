import {
  isOneOf,
  JSON_MEDIA_TYPE,
  parsed,
  Query,
  type Request,
  type RequestContent,
  uriReference,
} from '../../../lib/http/index.ts';
import {
  type JsonMember,
  type JsonNode,
  type JsonSchema,
  JsonTooDeepError,
  jsonTextOf,
  MAX_JSON_DEPTH,
  NamedSchema,
  parseJsonTree,
  scalarOf,
} from '../../../lib/json/index.ts';
import type { Condition } from '../../../lib/table/index.ts';
import { problemType } from '../../problem-types.ts';
import { ConditionReader, conditionSchema } from '../../resource/query/json-condition.ts';
import { countFromJson, type ListOptions, orderOf } from '../../resource/query/list-options.ts';
import { ALL, type ListQueries, type ListQuery, SINGLE_PARAMETERS } from './list-query.ts';

/** A QUERY gets 422 (RFC 10008). */
const UNPROCESSABLE_QUERY = problemType('unprocessable-query', 422);

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** What a QUERY asks for, and the query of the GET that asks the same (RFC 10008). */
export function queryContent(
  queries: ListQueries,
): RequestContent<{ readonly wanted: ListQuery; readonly query: string }> {
  const { fields, api } = queries;
  return {
    mediaTypes: [JSON_MEDIA_TYPE, FORM_TYPE],
    schema: new NamedSchema('ListQuery', () => jsonSchema(queries)),
    get alternatives() {
      return { [FORM_TYPE]: objectOf('The query string of a GET.', parameterSchemas(queries)) };
    },
    examples: { 'a condition': { where: api.examples.where, sort: '-id', limit: 20 } },
    problems: ['malformed-request', 'malformed-body', 'malformed-query', UNPROCESSABLE_QUERY],
    of: (request) => {
      const isForm = isOneOf(request.headers['content-type'] ?? '', [FORM_TYPE]);
      const reader = new ConditionReader(fields);
      const { wanted, queryString } = (isForm ? ofForm : ofJson)(request, queries, reader);
      reader.finish(UNPROCESSABLE_QUERY);
      return { wanted, query: queryString() };
    },
  };
}

/** A form is read like a query string, but nothing in it is ignored. */
function ofForm({ content }: Request, queries: ListQueries, reader: ConditionReader) {
  const text = content.toString('latin1');
  const query = new Query(text);
  const names = new Set<string>();
  for (const [name] of query.parameters) {
    const isRepeated = names.has(name) && SINGLE_PARAMETERS.includes(name);
    if (isRepeated) reader.violate(name, 'repeated', 'must not be repeated');
    names.add(name);
  }
  const wanted = queries.ofParameters(query, reader.onInvalid, (name) =>
    reader.violate(name, 'unknown', 'is not a parameter of the list'),
  );
  return { wanted, queryString: () => uriReference(text) };
}

function ofJson({ content }: Request, queries: ListQueries, reader: ConditionReader) {
  const members = reader.membersOf(
    parsed(() => treeOf(jsonTextOf(content), reader)),
    [],
  );
  const conditions: Condition[] = [];
  const options: { -readonly [Key in keyof ListOptions]: ListOptions[Key] } = { ...ALL };
  const { onInvalid } = reader;
  for (const { name, node } of members) {
    const text = () => reader.textOf(node, [name]);
    if (name === 'where') conditions.push(reader.read(node, [name]));
    else if (name === 'search') conditions.push(...queries.searchCondition(text()));
    else if (name === 'sort') options.orderBy = orderOf(text(), queries.fields, onInvalid);
    else if (name === 'limit' || name === 'offset') {
      options[name] = countFromJson(name, node, onInvalid);
    } else onInvalid(name, 'unknown', `is not a member; it must be one of ${MEMBERS.join(', ')}`);
  }
  const wanted: ListQuery = { ...options, conditions };
  return { wanted, queryString: () => members.map(parameterOf).join('&') };
}

const MEMBERS = ['where', ...SINGLE_PARAMETERS];

const EMPTY: JsonNode = { type: 'object', source: '{}', members: [] };

/** The query is an object around a condition, which may itself be as deep as JSON may be. */
function treeOf(text: string, reader: ConditionReader): JsonNode {
  try {
    return parseJsonTree(text, MAX_JSON_DEPTH + 1);
  } catch (error) {
    if (!(error instanceof JsonTooDeepError)) throw error;
    reader.violate([], 'max-depth', `must not be nested more than ${MAX_JSON_DEPTH + 1} deep`);
    return EMPTY;
  }
}

/** White space around the values of a JSON text; strings are captured, and stay. */
const JSON_SPACE = /("[^"\\]*(?:\\.[^"\\]*)*")|[ \t\n\r]+/g;

/** A member as a parameter, in which commas and colons may stay as they are (RFC 3986). */
function parameterOf({ name, node }: JsonMember): string {
  let value = node.type === 'scalar' ? scalarOf(node) : node.source.replace(JSON_SPACE, '$1');
  // An offset or a limit may be larger than any list.
  if (typeof value === 'number') value = Math.min(Math.abs(value), Number.MAX_SAFE_INTEGER);
  const encoded = encodeURIComponent(String(value));
  return `${name}=${encoded.replaceAll('%2C', ',').replaceAll('%3A', ':')}`;
}

function jsonSchema(queries: ListQueries): JsonSchema {
  const schemas = parameterSchemas(queries);
  const members = SINGLE_PARAMETERS.map((name) => [name, schemas[name]] as const);
  const description = 'What to list; without a member, what a GET without the parameter lists.';
  const where = conditionSchema(queries.fields);
  return objectOf(description, { where, ...Object.fromEntries(members) });
}

function objectOf(description: string, properties: JsonSchema): JsonSchema {
  return { description, type: 'object', properties, additionalProperties: false };
}

function parameterSchemas(queries: ListQueries): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    queries
      .parameters()
      .map(({ name, description, schema, example }) => [
        name,
        { ...schema, description, examples: [example] },
      ]),
  );
}
