import { type JsonRecord, listOf, recordOf, textOf } from '../shared/json.ts';

/** The parts of an OpenAPI 3.1 document that the page needs. */
export type ApiDocument = ReturnType<typeof readDocument>;

/** One method of one path. */
export type ApiOperation = ApiDocument['operations'][number];

/** Reads an OpenAPI document. `base` precedes its paths: empty, or a path without a final slash. */
export function readDocument(document: unknown, base = '') {
  const { info, paths, components } = recordOf(document);
  const { title, version } = recordOf(info);
  const schemas = recordOf(recordOf(components).schemas);

  function schemaOf(value: unknown): JsonRecord {
    const schema = recordOf(value);
    const name = textOf(schema.$ref).replace(/^.*\//, '');
    return name === '' ? schema : recordOf(schemas[name]);
  }

  const contentsOf = (content: unknown) =>
    entriesOf(content).map(([mediaType, { schema, examples }]) => ({
      mediaType,
      schema: schemaOf(schema),
      /** Valid examples as text, with their names. */
      examples: entriesOf(examples).map(([name, { summary, value }]) => ({
        name: textOf(summary) || name,
        text: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
      })),
    }));

  const parameterOf = (parameter: JsonRecord) => ({
    name: textOf(parameter.name),
    in: textOf(parameter.in),
    description: textOf(parameter.description),
    schema: schemaOf(parameter.schema),
    example: textOf(parameter.example),
  });

  const operationOf = (method: string, path: string, operation: JsonRecord) => ({
    id: textOf(operation.operationId),
    method: method.toUpperCase(),
    path,
    tag: textOf(listOf(operation.tags)[0]),
    summary: textOf(operation.summary),
    description: textOf(operation.description),
    parameters: listOf(operation.parameters).map(recordOf).map(parameterOf),
    contents: contentsOf(recordOf(operation.requestBody).content),
    responses: entriesOf(operation.responses).map(([status, { description, content }]) => ({
      status,
      description: textOf(description),
      contents: contentsOf(content),
    })),
  });

  const operations = entriesOf(paths).flatMap(([path, methods]) =>
    entriesOf(methods).flatMap(([method, operation]) =>
      operation.responses === undefined ? [] : [operationOf(method, base + path, operation)],
    ),
  );
  return { title: textOf(title), version: textOf(version), operations };
}

function entriesOf(value: unknown): readonly (readonly [string, JsonRecord])[] {
  return Object.entries(recordOf(value)).map(([name, each]) => [name, recordOf(each)]);
}
