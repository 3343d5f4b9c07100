import { isRecord, type JsonRecord, listOf, recordOf, textOf } from '../shared/json.ts';

/** A parameter of a path or a query string, or a header field. */
export interface ApiParameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly type: string;
  readonly example: string;
}

/** A media type of an operation's request content. */
export interface ApiContent {
  readonly mediaType: string;
  /** Valid examples as JSON text, with their names. */
  readonly examples: readonly (readonly [name: string, text: string])[];
}

/** A response of an operation. */
export interface ApiResponse {
  readonly status: string;
  readonly description: string;
  readonly mediaTypes: readonly string[];
}

/** One method of one path. */
export interface ApiOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ApiParameter[];
  readonly contents: readonly ApiContent[];
  readonly responses: readonly ApiResponse[];
}

/** What the page needs from an OpenAPI document. */
export interface ApiDocument {
  readonly title: string;
  readonly version: string;
  readonly operations: readonly ApiOperation[];
  /** Whether the description of an item may be null. */
  readonly isDescriptionNullable: boolean;
}

/** Reads what the page needs from an OpenAPI 3.1 document. */
export function readApiDocument(document: unknown): ApiDocument {
  const { info, paths, components } = recordOf(document);
  const { title, version } = recordOf(info);
  const operations = entriesOf(paths).flatMap(([path, methods]) =>
    entriesOf(methods).map(([method, operation]) => operationOf(method, path, operation)),
  );
  const { Todo } = recordOf(recordOf(components).schemas);
  const { description } = recordOf(recordOf(Todo).properties);
  return {
    title: textOf(title),
    version: textOf(version),
    operations,
    isDescriptionNullable: JSON.stringify(description ?? '').includes('"null"'),
  };
}

function operationOf(method: string, path: string, operation: JsonRecord): ApiOperation {
  const { operationId, summary, description, tags, parameters, requestBody } = operation;
  return {
    id: textOf(operationId),
    method: method.toUpperCase(),
    path,
    tag: textOf(listOf(tags)[0]),
    summary: textOf(summary),
    description: textOf(description),
    parameters: listOf(parameters).filter(isRecord).map(parameterOf),
    contents: entriesOf(recordOf(requestBody).content).map(contentOf),
    responses: entriesOf(operation.responses).map(([status, response]) => ({
      status,
      description: textOf(response.description),
      mediaTypes: entriesOf(response.content).map(([mediaType]) => mediaType),
    })),
  };
}

function parameterOf(parameter: JsonRecord): ApiParameter {
  const { name, description, example } = parameter;
  const { type, format } = recordOf(parameter.schema);
  return {
    name: textOf(name),
    in: textOf(parameter.in),
    description: textOf(description),
    type: textOf(format) || textOf(type),
    example: textOf(example),
  };
}

function contentOf([mediaType, { examples }]: readonly [string, JsonRecord]): ApiContent {
  const texts = entriesOf(examples).map(
    ([name, { summary, value }]) =>
      [textOf(summary) || name, JSON.stringify(value, null, 2)] as const,
  );
  return { mediaType, examples: texts };
}

function entriesOf(value: unknown): readonly (readonly [string, JsonRecord])[] {
  return Object.entries(recordOf(value)).map(([name, each]) => [name, recordOf(each)]);
}
