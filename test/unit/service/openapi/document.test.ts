import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Variant } from '../../../../src/service/todo/variant.ts';
import { CheckedClient } from '../../../support/checked-client.ts';
import { pathsOf } from '../../../support/paths.ts';
import { startApp, VARIANTS } from '../../../support/service.ts';

const TOKEN = 'a-token';
const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };

/** Starts a service, by default with admin paths. */
async function start(
  test: TestContext,
  variant: Variant,
  env: Readonly<Record<string, string>> = { ADMIN_TOKEN: TOKEN },
) {
  const { baseUrl } = await startApp(test, variant, { env });
  const client = new CheckedClient(baseUrl);
  test.after(() => client.close());
  return { client, document: await client.document() };
}

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
    const { LIST, EVENTS, ITEM, itemPath } = pathsOf(variant);
    it('has exactly the routes and methods of the service', async (test) => {
      const { client, document } = await start(test, variant);
      for (const [path, operations] of Object.entries(document.document.paths)) {
        const target = path.replace('{id}', '1');
        const answer = await client.request('OPTIONS', target, { headers: AUTHORIZATION });
        const allowed = String(answer.headers.allow).toLowerCase().split(', ');
        assert.deepEqual(
          allowed.filter((method) => method !== 'head' && method !== 'options').sort(),
          Object.keys(operations).sort(),
        );
      }
    });

    it('describes each of its parts in a sentence', async (test) => {
      const { paths, components } = (await start(test, variant)).document.document;
      for (const text of descriptionsIn([paths, components])) {
        assert.match(String(text), /^[A-Z`"].*\S\.$/s);
      }
      for (const { operation } of (await start(test, variant)).document.operations) {
        for (const { examples = {} } of Object.values(operation.requestBody?.content ?? {})) {
          for (const name of Object.keys(examples)) assert.match(name, /^\w[^ ]*\w$/);
        }
      }
    });

    it('names the parameters that several operations share, and no others', async (test) => {
      const { client, document } = await start(test, variant);
      const { text } = await client.request('GET', '/openapi.json');
      for (const name of Object.keys(document.document.components.parameters)) {
        const uses = text.split(`"#/components/parameters/${name}"`).length - 1;
        assert(uses > 1, `${name}: ${uses}`);
      }
    });

    it('says nothing that generators of clients cannot read', async (test) => {
      const { paths, components } = (await start(test, variant)).document.document;
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
      const { document } = await start(test, variant, off);
      const text = JSON.stringify(document.document);
      assert.doesNotMatch(text, /"\/admin|"\/metrics|\/events"|securitySchemes/);
      const { paths } = (await start(test, variant)).document.document;
      for (const path of ['/admin/reset', '/admin/faults', '/metrics', EVENTS]) {
        assert(paths[path], path);
      }
    });

    it('names each operation uniquely, and states its security', async (test) => {
      const { document } = await start(test, variant);
      const ids = document.operations.map(({ operation }) => operation.operationId);
      assert.equal(new Set(ids).size, ids.length);
      for (const { path, operation } of document.operations) {
        const guards = path.startsWith('/admin/') ? [{ adminToken: [] }] : undefined;
        assert.deepEqual(operation.security, guards, path);
      }
    });

    it('requires parameters of the path, and content, except of a reset', async (test) => {
      const { document } = await start(test, variant);
      for (const { operation } of document.operations) {
        const { operationId, requestBody, parameters = [] } = operation;
        for (const { name, in: where, required } of parameters) {
          assert.equal(required === true, where === 'path', `${operationId}: ${name}`);
        }
        if (requestBody) assert.equal(requestBody.required, operationId !== 'reset', operationId);
      }
    });

    it('requires the header fields that every such response has', async (test) => {
      const { document } = await start(test, variant, {});
      const { paths } = document.document;
      for (const [path, required, possible] of [
        [ITEM, ['Cache-Control', 'ETag'], ['X-Request-Id']],
        [LIST, ['Cache-Control', 'ETag'], ['Link', 'X-Total-Count']],
        [EVENTS, ['Cache-Control', 'X-Accel-Buffering'], []],
        ['/', ['Cache-Control', 'ETag', 'X-Content-Type-Options'], []],
      ] as const) {
        const { headers = {} } = paths[path]?.get?.responses['200'] ?? {};
        const certain = Object.keys(headers).filter((name) => headers[name]?.required);
        assert.deepEqual(certain.sort(), required, path);
        for (const name of possible) assert(name in headers, `${path}: ${name}`);
      }
    });

    it('describes every error by one response, whose codes are open', async (test) => {
      const { document } = (await start(test, variant)).document;
      const problem = document.components.responses.Problem;
      assert(problem);
      assert.deepEqual(Object.keys(problem.content ?? {}), ['application/problem+json']);
      assert('Cache-Control' in (problem.headers ?? {}));
      for (const [path, operations] of Object.entries(document.paths)) {
        for (const { responses } of Object.values(operations)) {
          assert.deepEqual(responses.default, problem, path);
          const others = Object.keys(responses).filter((status) => status !== 'default');
          assert(others.every((status) => Number(status) < 400) && others.length > 0, path);
        }
      }
      const schemas: Readonly<Record<string, Words & { properties?: Record<string, Words> }>> =
        document.components.schemas;
      for (const name of ['Problem', 'Violation']) {
        const { type, ...more } = schemas[name]?.properties?.code ?? {};
        assert.deepEqual([type, Object.keys(more)], ['string', ['description']], name);
      }
    });

    it('has less than 80 kB, and each part one time', async (test) => {
      const { client } = await start(test, variant);
      const { text } = await client.get('/openapi.json');
      assert(Buffer.byteLength(text) < 80_000, `${Buffer.byteLength(text)} bytes`);
      const { paths }: { paths: Record<string, Record<string, { parameters?: object[] }>> } =
        JSON.parse(text);
      const inline = Object.values(paths)
        .flatMap((operations) => Object.values(operations))
        .flatMap(({ parameters = [] }) => parameters.filter((each) => !('$ref' in each)));
      const texts = inline.map((parameter) => JSON.stringify(parameter));
      assert.equal(new Set(texts).size, texts.length);
    });

    it('has examples of items and of requests', async (test) => {
      const { document } = await start(test, variant);
      const { schemas } = document.document.components;
      for (const name of ['Todo', 'CreateTodo', 'UpdateTodo', 'PatchTodo']) {
        const { examples = [] }: { examples?: readonly unknown[] } = schemas[name] ?? {};
        assert(examples.length > 0, name);
        for (const example of examples) {
          assert(document.isValid(['components', 'schemas', name], example), name);
        }
      }
    });

    it('has the limits of contents with several items', async (test) => {
      const { schemas } = (await start(test, variant)).document.document.components;
      const limitsOf = ({ type, minItems, maxItems }: Words = {}) => [type, minItems, maxItems];
      assert.deepEqual(limitsOf(schemas.CreateTodos), ['array', 1, 100]);
      assert.deepEqual(limitsOf(schemas.Seed), ['array', undefined, undefined]);
    });

    it('describes the responses to preconditions: 304 to a read, 412 to a write', async (test) => {
      const { document } = await start(test, variant, {});
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

    it('covers admin paths, injected faults and checks before routing', async (test) => {
      const { client } = await start(test, variant);
      const statusOf = async (method: string, path: string, headers = {}, body = '') =>
        (await client.request(method, path, { headers, body })).status;
      const json = { ...AUTHORIZATION, 'content-type': 'application/json' };

      assert.equal(await statusOf('GET', '/admin/faults'), 401);
      const { headers } = await client.request('GET', '/admin/none', { headers: AUTHORIZATION });
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(await statusOf('POST', '/admin/reset', AUTHORIZATION), 204);
      assert.equal(await statusOf('PUT', '/admin/faults', json, '{"faults":[{"x":1}]}'), 400);
      assert.equal(await statusOf('PUT', '/admin/faults', AUTHORIZATION, '{}'), 415);
      assert.equal(await statusOf('GET', '/metrics'), 200);
      for (const path of ['/metrics', '/openapi.json']) {
        const accept = 'application/problem+json';
        assert.equal(await statusOf('GET', path, { accept }), 200, `${path} whatever Accept says`);
      }
      assert.equal(await statusOf('GET', '/livez', { 'if-match': 'x' }), 400);
      for (const status of [418, 502]) {
        const faults = JSON.stringify({ faults: [{ path: LIST, status }] });
        assert.equal(await statusOf('PUT', '/admin/faults', json, faults), 200);
        assert.equal(await statusOf('GET', itemPath(1)), status);
      }
    });
  });
}
