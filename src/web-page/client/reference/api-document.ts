import { type JsonRecord, listOf, recordOf, textOf } from '../shared/json.ts';

/** The parts of an OpenAPI 3.1 document that the reference shows. */
export type ApiDocument = ReturnType<typeof readDocument>;

/** One method of one path. */
export type ApiOperation = ApiDocument['operations'][number];

/** Reads an OpenAPI document. `base` precedes its paths: empty, or a path without a final slash. */
export function readDocument(document: unknown, base: string) {
  /** An object of the document, or the one that its reference (RFC 6901) leads to. */
  function resolve(value: unknown): JsonRecord {
    const found = recordOf(value);
    if (found.$ref === undefined) return found;
    const [, ...tokens] = textOf(found.$ref).split('/');
    const names = tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    return resolve(names.reduce((whole: unknown, name) => recordOf(whole)[name], document));
  }

  const entriesOf = (value: unknown) =>
    Object.entries(resolve(value)).map(([name, each]) => [name, resolve(each)] as const);

  const contentsOf = (content: unknown) =>
    entriesOf(content).map(([mediaType, { examples }]) => ({
      mediaType,
      /** Valid examples as text, with their names. */
      examples: entriesOf(examples).map(([name, { summary, value }]) => ({
        name: textOf(summary) || name,
        text: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
      })),
    }));

  function parameterOf(parameter: unknown) {
    const { name, in: place, description, schema, example } = resolve(parameter);
    const { format, type } = resolve(schema);
    return {
      name: textOf(name),
      in: textOf(place),
      description: textOf(description),
      type: textOf(format) || textOf(type),
      example: textOf(example),
    };
  }

  const operationOf = (method: string, path: string, operation: JsonRecord) => ({
    id: textOf(operation.operationId),
    method: method.toUpperCase(),
    path,
    tag: textOf(listOf(operation.tags)[0]),
    summary: textOf(operation.summary),
    description: textOf(operation.description),
    parameters: listOf(operation.parameters).map(parameterOf),
    needsToken: listOf(operation.security).length > 0,
    contents: contentsOf(resolve(operation.requestBody).content),
    responses: entriesOf(operation.responses).map(([status, { description, content }]) => ({
      status,
      description: textOf(description),
      contents: contentsOf(content),
    })),
  });

  const operations = entriesOf(recordOf(document).paths).flatMap(([path, methods]) =>
    entriesOf(methods).flatMap(([method, operation]) =>
      operation.responses === undefined ? [] : [operationOf(method, base + path, operation)],
    ),
  );
  return { operations };
}
