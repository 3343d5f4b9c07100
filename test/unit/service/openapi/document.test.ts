import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { PROBLEMS } from '../../../../src/lib/http/index.ts';
import { SERVICE_PROBLEMS } from '../../../../src/service/problem-types.ts';
import type { Definition } from '../../../../src/service/resource/definition.ts';
import type { ApiDocument, Document } from '../../../support/api-document.ts';
import { assertProblem } from '../../../support/assertions.ts';
import { CheckedClient } from '../../../support/checked-client.ts';
import { pathsOf } from '../../../support/paths.ts';
import { startService, VARIANTS } from '../../../support/service.ts';

const TOKEN = 'a-token';
const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };

/** Starts a service, by default with admin paths. The caller stops it. */
async function start(
  variant: Definition,
  env: Readonly<Record<string, string>> = { ADMIN_TOKEN: TOKEN },
) {
  const service = await startService(variant, { env });
  const client = new CheckedClient(service.baseUrl);
  const stop = async () => {
    await client.close();
    await service.stop();
  };
  return { client, document: await client.document(), stop };
}

/** Starts a service that stops when its test ends. */
async function startFor(test: TestContext, ...args: Parameters<typeof start>) {
  const running = await start(...args);
  test.after(running.stop);
  return running;
}

/** The names of the shared responses to errors, by status. */
const RESPONSE_NAMES: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  404: 'NotFound',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  507: 'InsufficientStorage',
  default: 'Problem',
};

/** The operations by the errors that they name. */
const ERRORS = {
  '400 412 default': ['listTodos', 'deleteTodos', 'deleteTodo', 'getPage', 'getApiDocument'],
  '400 413 415 507 default': ['createTodo', 'createTodos'],
  '400 412 413 415 507 default': ['patchTodos'],
  '400 default': ['watchTodos'],
  '400 404 412 default': ['getTodo'],
  '400 404 412 413 415 507 default': ['updateTodo', 'patchTodo'],
  default: ['getLiveness', 'getReadiness', 'getMetrics'],
  '400 401 404 409 413 415 507 default': ['reset'],
  '400 401 409 412 413 415 507 default': ['putList'],
  '400 401 412 default': ['removeList'],
  '401 default': ['getLists', 'getFaults', 'clearFaults', 'cutStreams'],
  '400 401 413 415 507 default': ['setFaults'],
  '400 401 default': ['getRequests', 'clearRequests'],
};

/**
 * Types of Python, Java, Go, Rust, PHP, C# and TypeScript, and of their usual libraries. A schema of
 * such a name hides the type in a generated client.
 */
const COMMON_TYPES = new Set(
  `Annotated Any Array Base Bool Boolean Box Buffer Byte Bytes Callable Char Class ClassVar Client
  Closure Collection Configuration Context Countable Counter Data Date DateTime Decimal Dict
  Dictionary Double Duration Either Entry Enum Err Error Event Exception Exclude Extract Field File
  Final Float Form Function Future Generator Generic Guid Header Headers IO Index Instant Int Integer
  Interface Item Iterable Iterator Json Key Link List Literal Long Map Mapping Model Module Monitor
  Never None Null Nullable Number Object Ok Omit Operation Option Optional Order Page Parameters Parent
  Partial Path Pick Process Promise Protocol Proxy Queue Range Readonly Record Reference Reflection
  RegExp Request Required Response Result Root Scope Self Sequence Service Set Short Some Stack Static
  Status Stream String Struct Symbol System Tag Task Text Thread Time Timer Traversable Trait Tuple Type
  UUID Union Unit Unknown Uri Url Value Vec Vector Version Void`.split(/\s+/),
);

/** The words of a schema that differ in what generators make of them. */
interface Words {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** All schemas in a part of the document, and other objects that look like schemas. */
function* schemasIn(part: unknown): Generator<Words> {
  if (typeof part !== 'object' || part === null) return;
  for (const [name, each] of Object.entries(part)) {
    if (name === 'example' || name === 'examples') continue;
    yield* schemasIn(each);
  }
  yield part;
}

/** All descriptions in a part of the document; a field may have the name `description`, too. */
function* descriptionsIn(part: unknown): Generator<unknown> {
  if (typeof part !== 'object' || part === null) return;
  for (const [name, each] of Object.entries(part)) {
    if (name === 'example' || name === 'examples') continue;
    if (name === 'description' && (typeof each !== 'object' || each === null)) yield each;
    yield* descriptionsIn(each);
  }
}

for (const variant of VARIANTS) {
  describe(`the API document, variant ${variant.name.toUpperCase()}`, () => {
    const { LIST, EVENTS, ITEM } = pathsOf(variant);
    let client: CheckedClient;
    let document: ApiDocument;
    let stop: () => Promise<void>;
    before(async () => {
      ({ client, document, stop } = await start(variant));
    });
    after(() => stop());

    it('has exactly the methods of each path', async () => {
      for (const path of Object.keys(document.document.paths)) {
        const target = path.replace('{id}', '1');
        // The client asserts that `Allow` has the methods of the document.
        const { status } = await client.request('OPTIONS', target, { headers: AUTHORIZATION });
        assert.equal(status, 204, path);
      }
    });

    it('describes each of its parts in a sentence', () => {
      const { paths, components } = document.document;
      for (const text of descriptionsIn([paths, components])) {
        assert.match(String(text), /^[A-Z`"].*\S\.$/s);
      }
      for (const { operation } of document.operations) {
        for (const { examples = {} } of Object.values(operation.requestBody?.content ?? {})) {
          for (const name of Object.keys(examples)) assert.match(name, /^\w[^ ]*\w$/);
        }
      }
    });

    it('names the parameters that several operations share, and no others', async () => {
      const { text } = await client.request('GET', '/openapi.json');
      for (const name of Object.keys(document.document.components.parameters)) {
        const uses = text.split(`"#/components/parameters/${name}"`).length - 1;
        assert(uses > 1, `${name}: ${uses}`);
      }
    });

    it('says nothing that generators of clients cannot read', () => {
      const { paths, components } = document.document;
      for (const schema of schemasIn([paths, components])) {
        const text = JSON.stringify(schema);
        const { type, enum: values = [], pattern = '' } = schema;
        const types = [type].flat().filter((each) => each !== 'null');
        assert(types.length <= 1, `several types: ${text}`);
        assert(new Set(values.map((value) => typeof value)).size <= 1, `mixed values: ${text}`);
        assert.doesNotMatch(pattern, /"|(?<!\[\^?)[/]|[\n\u2028\u2029]/, text);
      }
    });

    it('omits features that are switched off', async (test) => {
      const off = { MAX_EVENT_STREAMS: '0', METRICS: 'off' };
      const { client: ofReduced, document: reduced } = await startFor(test, variant, off);
      const text = JSON.stringify(reduced.document);
      assert.doesNotMatch(text, /"\/admin|"\/metrics|\/events"|securitySchemes/);
      assertProblem(await ofReduced.get('/metrics'), 404, 'unknown-path');
      assertProblem(await ofReduced.get(EVENTS), 400, 'invalid-id');
      const { paths } = document.document;
      for (const path of ['/admin/reset', '/admin/faults', '/metrics', EVENTS]) {
        assert(paths[path], path);
      }
    });

    it('names each operation uniquely, and states its security', () => {
      const ids = document.operations.map(({ operation }) => operation.operationId);
      assert.equal(new Set(ids).size, ids.length);
      for (const { path, operation } of document.operations) {
        const guards = path.startsWith('/admin/') ? [{ adminToken: [] }] : undefined;
        assert.deepEqual(operation.security, guards, path);
      }
    });

    it('requires parameters of the path, and content, except for the seed of a list', () => {
      for (const { operation } of document.operations) {
        const { operationId, requestBody, parameters = [] } = operation;
        for (const { name, in: where, required } of parameters) {
          assert.equal(required === true, where === 'path', `${operationId}: ${name}`);
        }
        const isSeed = ['reset', 'putList'].includes(operationId);
        if (requestBody) assert.equal(requestBody.required, !isSeed, operationId);
      }
    });

    it('requires the header fields that every such response has', async (test) => {
      const { document } = await startFor(test, variant, {});
      const { paths } = document.document;
      for (const [path, required, possible] of [
        [ITEM, ['Cache-Control', 'ETag'], ['X-Request-Id']],
        [LIST, ['Cache-Control', 'ETag', 'X-Total-Count'], ['Link']],
        [EVENTS, ['Cache-Control', 'X-Accel-Buffering'], []],
        ['/', ['Cache-Control', 'ETag', 'X-Content-Type-Options'], []],
      ] as const) {
        const { headers = {} } = paths[path]?.get?.responses['200'] ?? {};
        const certain = Object.keys(headers).filter((name) => headers[name]?.required);
        assert.deepEqual(certain.sort(), required, path);
        for (const name of possible) assert(name in headers, `${path}: ${name}`);
      }
    });

    it('has only references that lead somewhere', async () => {
      const targets = new Set<string>();
      const whole: unknown = JSON.parse((await client.get('/openapi.json')).text, (key, value) => {
        if (key === '$ref') targets.add(value);
        return value;
      });
      assert(targets.size > 10, `${targets.size} references`);
      for (const target of targets) {
        const members = target.replace(/^#\//, '').split('/');
        const found = members.reduce<unknown>(
          (part, name) => (part as Record<string, unknown> | undefined)?.[name],
          whole,
        );
        assert.notEqual(found, undefined, target);
      }
    });

    it('names the errors of each operation by references to shared responses', async () => {
      const { text } = await client.get('/openapi.json');
      const { paths }: Document = JSON.parse(text);
      const named = Object.values(paths).flatMap((operations) =>
        Object.values(operations).map(({ operationId, responses }) => {
          const errors = Object.entries(responses).filter(([status]) => !(Number(status) < 400));
          for (const [status, response] of errors) {
            const $ref = `#/components/responses/${RESPONSE_NAMES[status]}`;
            assert.deepEqual(response, { $ref }, `${operationId}: ${status}`);
          }
          return [operationId, errors.map(([status]) => status).join(' ')];
        }),
      );
      const expected = Object.entries(ERRORS).flatMap(([errors, operations]) =>
        operations.map((operation) => [operation, errors]),
      );
      assert.deepEqual(Object.fromEntries(named), Object.fromEntries(expected));
      const { responses } = document.document.components;
      assert.deepEqual(Object.keys(responses).sort(), Object.values(RESPONSE_NAMES).sort());
      for (const { content = {} } of Object.values(responses)) {
        const { examples } = content['application/problem+json'] ?? {};
        const plain = { schema: { $ref: '#/components/schemas/Problem' }, examples };
        assert.deepEqual(content, { 'application/problem+json': plain });
      }
    });

    it('has an example of every code, at its status', () => {
      const codes = [];
      for (const [status, name] of Object.entries(RESPONSE_NAMES)) {
        const { content } = document.document.components.responses[name] ?? {};
        const { examples = {} } = content?.['application/problem+json'] ?? {};
        for (const [code, { value }] of Object.entries(examples)) {
          assert(document.isValid(['components', 'schemas', 'Problem'], value), code);
          const problem = Object(value);
          assert.equal(problem.code, code);
          assert.equal(problem.status in RESPONSE_NAMES ? `${problem.status}` : 'default', status);
          codes.push(code);
        }
      }
      assert.deepEqual(codes.sort(), Object.keys({ ...PROBLEMS, ...SERVICE_PROBLEMS }).sort());
    });

    it('has no schema with the name of a type that programs use beside it', () => {
      const names = Object.keys(document.document.components.schemas);
      assert.deepEqual(
        names.filter((name) => COMMON_TYPES.has(name)),
        [],
      );
    });

    it('has codes as strings that list the known ones', () => {
      const schemas: Readonly<Record<string, Words & { properties?: Record<string, Words> }>> =
        document.document.components.schemas;
      for (const [name, known] of [
        ['Problem', /\bnot-found, .*\bstore-full\b/],
        ['Violation', /\bmax-length\b/],
      ] as const) {
        const { type, ...more } = schemas[name]?.properties?.code ?? {};
        assert.deepEqual([type, Object.keys(more)], ['string', ['description']], name);
        assert.match(Object.values(more).join(), known);
      }
    });

    it('has less than 90 kB, and each part one time', async () => {
      const { text } = await client.get('/openapi.json');
      // A further field, as in CONTRIBUTING.md, has an operand for each of its operators.
      const further = Math.max(0, Object.keys(variant.fields).length - 6);
      assert(
        Buffer.byteLength(text) < 90_000 + 6_000 * further,
        `${Buffer.byteLength(text)} bytes`,
      );
      const { paths }: { paths: Record<string, Record<string, { parameters?: object[] }>> } =
        JSON.parse(text);
      const inline = Object.values(paths)
        .flatMap((operations) => Object.values(operations))
        .flatMap(({ parameters = [] }) => parameters.filter((each) => !('$ref' in each)));
      const texts = inline.map((parameter) => JSON.stringify(parameter));
      assert.equal(new Set(texts).size, texts.length);
    });

    it('has examples of items and of requests', () => {
      const { schemas } = document.document.components;
      for (const name of ['Todo', 'CreateTodo', 'UpdateTodo', 'PatchTodo']) {
        const { examples = [] }: { examples?: readonly unknown[] } = schemas[name] ?? {};
        assert(examples.length > 0, name);
        for (const example of examples) {
          assert(document.isValid(['components', 'schemas', name], example), name);
        }
      }
    });

    it('has the limits of contents with several items', () => {
      const { schemas } = document.document.components;
      const limitsOf = ({ type, minItems, maxItems }: Words = {}) => [type, minItems, maxItems];
      assert.deepEqual(limitsOf(schemas.CreateTodos), ['array', 1, 100]);
      assert.deepEqual(limitsOf(schemas.Seed), ['array', undefined, undefined]);
    });

    it('describes the responses to preconditions: 304 to a read, 412 to a write', async (test) => {
      const { document } = await startFor(test, variant, {});
      for (const [method, unlessNew] of [
        ['get', '304'],
        ['put', '412'],
        ['patch', '412'],
        ['delete', '412'],
      ] as const) {
        const said = (document.document.paths[ITEM]?.[method]?.parameters ?? []).flatMap(
          ({ name, description = '' }) =>
            name.startsWith('If-') ? [[name, /\b(304|412)\b/.exec(description)?.[0]]] : [],
        );
        const expected = [
          ['If-Match', '412'],
          ['If-None-Match', unlessNew],
        ];
        assert.deepEqual(said, expected, method);
      }
    });
  });
}
