import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Client, type Todo } from '../support/client.ts';
import { serviceFor, VARIANTS } from '../support/service.ts';

for (const variant of VARIANTS) {
  describe(`the API document, variant ${variant.name.toUpperCase()}`, () => {
    it('is served, and its schemas hold for what the service answers', async (test) => {
      const { baseUrl } = await serviceFor(test, variant);
      const client = new Client(baseUrl);
      test.after(() => client.close());

      const document = (await client.get('/openapi.json')).json<object>();
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      ajv.addSchema(document, 'api');
      const assertValid = (schema: string, value: unknown) =>
        assert(ajv.validate(`api#/components/schemas/${schema}`, value), ajv.errorsText());

      const todo = (await client.post('/api/todos', { title: 'x' })).json<Todo>();
      assertValid('Todo', todo);
      assertValid('Problem', (await client.get('/nowhere')).json<object>());
      assertValid('Problem', (await client.post('/api/todos', {})).json<object>());
    });

    it('has every route and method of the service, and no other', async (test) => {
      const { baseUrl } = await serviceFor(test, variant);
      const client = new Client(baseUrl);
      test.after(() => client.close());
      const document = (await client.get('/openapi.json')).json<{
        paths: Record<string, object>;
      }>();
      const { paths } = document;
      for (const [path, operations] of Object.entries(paths)) {
        const answer = await client.request('OPTIONS', path.replace('{id}', '1'));
        const allowed = String(answer.headers.allow).toLowerCase().split(', ');
        const documented = Object.keys(operations).filter((name) => name !== 'parameters');
        assert.deepEqual(
          allowed.filter((method) => method !== 'head' && method !== 'options'),
          documented,
        );
      }
    });
  });
}
