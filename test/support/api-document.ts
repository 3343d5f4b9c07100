import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** An API document (OpenAPI 3.1), as far as tests read it. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly parameters: Readonly<Record<string, ParameterObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
}

export interface OperationObject {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaTypeObject>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: object;
  readonly example?: unknown;
}

interface MediaTypeObject {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface HeaderObject {
  readonly required?: boolean;
  readonly schema: { readonly type: string };
}

interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, HeaderObject>>;
  readonly content?: Readonly<Record<string, MediaTypeObject>>;
}

/** A request and its response. */
interface Exchange {
  readonly method: string;
  /** The request target. */
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/**
 * Header fields that responses may have without being described: those of HTTP itself, caches,
 * cross-origin requests and gateways.
 */
const NOT_DESCRIBED = new RegExp(
  '^(content-(type|length)|transfer-encoding|date|connection|keep-alive|vary|server|via' +
    '|access-control-.*)$',
);

/** Empty segments and dot segments are not values of a parameter. */
const NO_PARAMETER = /^(\.|%2e){0,2}$/i;

/** Statuses of responses that the server may send before it routes a request. */
const BEFORE_ROUTING = [400, 408, 413, 414, 417, 431, 500, 501, 503, 505];

/** Statuses of errors that an operation names if they belong to it. */
const NAMED = [400, 401, 404, 409, 412, 413, 415, 507];

/** Codes of errors that any request can have, so that no operation names them. */
const ANYWHERE = [
  'malformed-request',
  'malformed-query',
  'invalid-precondition',
  'content-too-large',
  'injected-fault',
];

/** Documents by their text. Cached, because compiling schemas takes longer than most tests. */
const compiled = new Map<string, ApiDocument>();

/** A document in which each reference to a component other than a schema is that component. */
function resolved(document: Document): Document {
  const components: Readonly<Record<string, Readonly<Record<string, unknown>>>> =
    document.components;
  const text = JSON.stringify(document.paths, (_, value) => {
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(value?.$ref) ?? [];
    if (kind === '' || kind === 'schemas') return value;
    return components[kind]?.[name] ?? assert.fail(`nothing is at ${value.$ref}`);
  });
  return { ...document, paths: JSON.parse(text) };
}

/** An API document that can check responses of the service. */
export class ApiDocument {
  readonly document: Document;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });

  private constructor(document: Document) {
    this.document = resolved(document);
    this.#ajv.addSchema(this.document, 'api');
  }

  static of(text: string): ApiDocument {
    const document = compiled.get(text) ?? new ApiDocument(JSON.parse(text));
    compiled.set(text, document);
    return document;
  }

  /** Every operation, with its path and its method in upper case. */
  get operations(): readonly { path: string; method: string; operation: OperationObject }[] {
    return Object.entries(this.document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation,
      })),
    );
  }

  /**
   * Asserts that the document describes a response: its status, media type, header fields and
   * content.
   */
  check(exchange: Exchange): void {
    const { method, path: target, status } = exchange;
    const [path = ''] = target.split('?', 1);
    const title = `${method} ${target.slice(0, 200)}: ${status}`;
    const template = this.#templateOf(path);
    const operations = template === undefined ? undefined : this.document.paths[template];
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = operations?.[name];
    if (operation === undefined) {
      const isOptions = method === 'OPTIONS' && (operations !== undefined || path === '*');
      this.#checkUndescribed(exchange, isOptions ? 204 : operations ? 405 : 404, title);
      return;
    }
    const { responses } = operation;
    const key = Object.hasOwn(responses, status) ? String(status) : 'default';
    assert(status >= 400 || key !== 'default', `${title} is not described`);
    const isNamed = key !== 'default' || !NAMED.includes(status) || mayComeAnywhere(exchange);
    assert(isNamed, `${title} is not an error of ${operation.operationId}: ${exchange.text}`);
    const described = responses[key];
    assert(described, `${title} is not a described response of ${operation.operationId}`);
    const place = ['paths', template ?? '', name, 'responses', key, 'content'];
    this.#checkContent(exchange, described, place, title);
    this.#checkHeaders(exchange, described.headers ?? {}, title);
  }

  /** The path template that matches a path: a literal one, else one with parameters. */
  #templateOf(path: string): string | undefined {
    const { paths } = this.document;
    if (Object.hasOwn(paths, path)) return path;
    return Object.keys(paths).find((each) => {
      const segments = each.split('/');
      const found = path.split('/');
      return (
        segments.length === found.length &&
        segments.every((segment, i) =>
          segment.startsWith('{') ? !NO_PARAMETER.test(found[i] ?? '') : segment === found[i],
        )
      );
    });
  }

  /**
   * The methods of a path, or of all paths for `*`, sorted: those in the document, HEAD if GET is
   * among them, and OPTIONS.
   */
  methodsOf(path: string): readonly string[] {
    const template = this.#templateOf(path);
    const described = this.operations.filter((each) => path === '*' || each.path === template);
    const methods = described.map(({ method }) => method);
    return [
      ...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']),
    ].sort();
  }

  /** Whether a value is valid under the schema at a place in the document. */
  isValid(place: readonly string[], value: unknown): boolean {
    return this.#validatorAt(place)(value) === true;
  }

  #assertValid(place: readonly string[], value: unknown, title: string): void {
    const validate = this.#validatorAt(place);
    const isValid = validate(value);
    assert(isValid, `${title}: ${this.#ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`);
  }

  #validatorAt(place: readonly string[]) {
    return this.#ajv.getSchema(`api#${pointerTo(place)}`) ?? assert.fail(`there is no ${place}`);
  }

  /** Checks the response for a path or method without an operation, as HTTP defines it. */
  #checkUndescribed(exchange: Exchange, expected: number, title: string): void {
    const { status, headers, text, method, path: target } = exchange;
    const [path = ''] = target.split('?', 1);
    assert(
      [expected, ...BEFORE_ROUTING].includes(status),
      `${title}: the path or method is not described`,
    );
    if (status === 204 || status === 405) {
      const allowed = String(headers.allow).split(', ').sort();
      assert.deepEqual(allowed, this.methodsOf(path), `${title} has Allow with what is described`);
    }
    if (status < 400) return;
    assert.equal(headers['content-type'], 'application/problem+json', title);
    if (method === 'HEAD') return;
    this.#assertValid(['components', 'schemas', 'Problem'], JSON.parse(text), title);
  }

  #checkContent(
    exchange: Exchange,
    { content }: ResponseObject,
    place: readonly string[],
    title: string,
  ): void {
    const { headers, text, method } = exchange;
    const type = headers['content-type'];
    if (content === undefined) {
      assert.deepEqual([type, text], [undefined, ''], title);
      return;
    }
    const [mediaType = ''] = String(type).split(';', 1);
    assert(content[mediaType], `${title}: ${type} is not described`);
    if (method === 'HEAD') return;
    const value: unknown = mediaType.endsWith('json') ? JSON.parse(text) : text;
    this.#assertValid([...place, mediaType, 'schema'], value, title);
  }

  #checkHeaders(
    { headers }: Exchange,
    described: Readonly<Record<string, HeaderObject>>,
    title: string,
  ): void {
    const byName = new Map<string, HeaderObject>();
    for (const [name, header] of Object.entries(described)) byName.set(name.toLowerCase(), header);
    for (const [name, { required, schema }] of byName) {
      const value = headers[name];
      if (value === undefined) assert(!required, `${title} has no ${name}`);
      else {
        const typed = schema.type === 'integer' ? Number(value) : value;
        assert(this.#ajv.validate(schema, typed), `${title}: ${name}: ${value}`);
      }
    }
    const others = Object.keys(headers).filter((name) => !byName.has(name));
    const undescribed = others.filter((name) => !NOT_DESCRIBED.test(name));
    assert.deepEqual(undescribed, [], `${title} has no undescribed header fields`);
  }
}

/** Whether an error is one that no operation names. A response to HEAD has no code. */
function mayComeAnywhere({ method, text }: Exchange): boolean {
  return method === 'HEAD' || ANYWHERE.includes(JSON.parse(text).code);
}

/** A JSON pointer (RFC 6901) as a URI fragment. */
function pointerTo(names: readonly string[]): string {
  return names
    .map((name) => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}
