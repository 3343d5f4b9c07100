import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Definition } from '../../../../src/service/resource/definition.ts';
import type { OperationObject } from '../../../support/api-document.ts';
import { checkedClientFor } from '../../../support/checked-client.ts';
import { EventClient } from '../../../support/events.ts';
import { pathsOf } from '../../../support/paths.ts';
import type { Answer } from '../../../support/requests.ts';
import { startApp, VARIANTS } from '../../../support/service.ts';

const TOKEN = 'a-token';
const FAULTS = '/admin/faults';

/** A request made from the examples of the document. */
interface ExampleRequest {
  readonly title: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Every request that the examples of an operation allow: each parameter, each content. */
function requestsOf(operation: OperationObject): readonly ExampleRequest[] {
  const { parameters = [], requestBody } = operation;
  const contents = Object.entries(requestBody?.content ?? {}).flatMap(([type, { examples = {} }]) =>
    Object.entries(examples).map(([name, { value }]) => ({
      title: `${name} as ${type}`,
      headers: { 'content-type': type.replace('*', 'vnd.example') },
      body: JSON.stringify(value),
    })),
  );
  const [first = { title: 'nothing', headers: {}, body: '' }, ...others] = contents;
  const whole = [first, ...others].map((content) => ({ ...content, query: '' }));
  const parts = parameters
    .filter((parameter) => parameter.in !== 'path')
    .map(({ name, in: where, example }) => {
      assert.notEqual(example, undefined, `${name} has no example`);
      const query = [example].flat().map((value) => `${name}=${encodeURIComponent(`${value}`)}`);
      return {
        title: name,
        query: where === 'query' ? `?${query.join('&')}` : '',
        headers: { ...first.headers, ...(where === 'header' ? { [name]: `${example}` } : {}) },
        body: first.body,
      };
    });
  const all = [...whole, ...parts];
  if (!['deleteTodos', 'patchTodos'].includes(operation.operationId)) return all;
  // They must have a condition.
  return all.map((request) => ({ ...request, query: request.query || '?id.gte=1' }));
}

/** The path of an operation, with its parameters' examples. */
function targetOf(path: string, { parameters = [] }: OperationObject): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    return `${parameter?.example}`;
  });
}

/** Starts a service and sends it the first examples: it has one item and one fault. */
async function start(test: TestContext, variant: Definition) {
  const { baseUrl } = await startApp(test, variant, { env: { ADMIN_TOKEN: TOKEN } });
  const client = checkedClientFor(test, baseUrl);
  const document = await client.document();
  const send = (method: string, path: string, { query, headers, body }: ExampleRequest) =>
    client.request(method, `${path}${query}`, {
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      body,
    });
  const sendFirst = (path: string, method: string): Promise<Answer> => {
    const operation = document.document.paths[path]?.[method] ?? assert.fail(path);
    const [request] = requestsOf(operation);
    assert(request);
    return send(method.toUpperCase(), targetOf(path, operation), request);
  };
  return { baseUrl, document, send, sendFirst };
}

for (const variant of VARIANTS) {
  describe(`the examples of the API document, variant ${variant.name.toUpperCase()}`, () => {
    const { LIST, EVENTS } = pathsOf(variant);
    it('are requests that succeed', async (test) => {
      const { document, send, sendFirst, baseUrl } = await start(test, variant);
      const prepare = async () => {
        await sendFirst(FAULTS, 'delete');
        await sendFirst('/admin/reset', 'post');
        await sendFirst(LIST, 'post');
        await sendFirst('/admin/lists/{name}', 'put');
      };
      await prepare();
      let count = 0;
      for (const { path, method, operation } of document.operations) {
        if (path === EVENTS) continue;
        for (const [i, { example, name }] of (operation.parameters ?? []).entries()) {
          const schema = ['paths', path, method.toLowerCase(), 'parameters', `${i}`, 'schema'];
          assert(document.isValid(schema, example), `${method} ${path}, ${name}`);
        }
        for (const request of requestsOf(operation)) {
          const answer = await send(method, targetOf(path, operation), request);
          assert(answer.status < 300, `${method} ${path}, ${request.title}: ${answer.text}`);
          if (method !== 'GET') await prepare();
          count++;
        }
      }
      assert(count > 80, `${count}`);

      const [lastEventId] = document.document.paths[EVENTS]?.get?.parameters ?? [];
      const events = await EventClient.open(baseUrl, `${lastEventId?.example}`, EVENTS);
      test.after(() => events.close());
      assert.deepEqual(
        (await events.take(2)).map(({ event }) => event),
        ['ready', 'reset'],
      );
      const exchange = { method: 'GET', path: EVENTS, status: 200, text: '' };
      document.check({ ...exchange, headers: events.headers });
    });
  });
}
