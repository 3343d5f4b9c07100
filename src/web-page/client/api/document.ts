import { isRecord, type JsonRecord, listOf, recordOf, textOf } from '../shared/json.ts';

/** A parameter of a path or a query string, or a header field. */
export interface ApiParameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: JsonRecord;
  readonly example: string;
}

/** The content of a request or a response in one media type. */
export interface ApiContent {
  readonly mediaType: string;
  readonly schema: JsonRecord;
  /** Valid examples as text, with their names. */
  readonly examples: readonly (readonly [name: string, text: string])[];
}

/** A response of an operation. */
export interface ApiResponse {
  readonly status: string;
  readonly description: string;
  readonly contents: readonly ApiContent[];
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

/** What the page needs from an OpenAPI document, 3.1 or 3.2. */
export interface ApiDocument {
  readonly title: string;
  readonly version: string;
  readonly operations: readonly ApiOperation[];
}

const SCHEMAS = '#/components/schemas/';

/** Reads an OpenAPI document. A schema may be a reference to a named one. */
export function readDocument(document: unknown): ApiDocument {
  const { info, paths, components } = recordOf(document);
  const { title, version } = recordOf(info);
  const { schemas } = recordOf(components);

  function schemaOf(value: unknown): JsonRecord {
    const schema = recordOf(value);
    const name = textOf(schema.$ref).slice(SCHEMAS.length);
    return name === '' ? schema : recordOf(recordOf(schemas)[name]);
  }

  function contentsOf(content: unknown): readonly ApiContent[] {
    return entriesOf(content).map(([mediaType, { schema, examples }]) => ({
      mediaType,
      schema: schemaOf(schema),
      examples: entriesOf(examples).map(([name, { summary, value }]) => [
        textOf(summary) || name,
        typeof value === 'string' ? value : JSON.stringify(value, null, 2),
      ]),
    }));
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
      contents: contentsOf(recordOf(requestBody).content),
      responses: entriesOf(operation.responses).map(([status, response]) => ({
        status,
        description: textOf(response.description),
        contents: contentsOf(response.content),
      })),
    };
  }

  function parameterOf(parameter: JsonRecord): ApiParameter {
    return {
      name: textOf(parameter.name),
      in: textOf(parameter.in),
      description: textOf(parameter.description),
      schema: schemaOf(parameter.schema),
      example: textOf(parameter.example),
    };
  }

  const operations = entriesOf(paths).flatMap(([path, methods]) =>
    entriesOf(methods).flatMap(([method, operation]) =>
      operation.responses === undefined ? [] : [operationOf(method, path, operation)],
    ),
  );
  return { title: textOf(title), version: textOf(version), operations };
}

function entriesOf(value: unknown): readonly (readonly [string, JsonRecord])[] {
  return Object.entries(recordOf(value)).map(([name, each]) => [name, recordOf(each)]);
}
