import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertProblem } from '../api/suite.ts';
import { Client } from '../support/client.ts';
import { serviceFor, VARIANTS } from '../support/service.ts';

const MAX_ROWS = 3;

for (const variant of VARIANTS) {
  describe(`a full store, variant ${variant.name.toUpperCase()}`, () => {
    it('returns 507 only for creates, until a delete makes room', async (test) => {
      const { baseUrl } = await serviceFor(test, variant, { maxRows: MAX_ROWS });
      const client = new Client(baseUrl);
      test.after(() => client.close());
      for (let id = 1; id <= MAX_ROWS; id++)
        await client.post('/api/todos', { title: `todo ${id}` });

      assertProblem(await client.post('/api/todos', { title: 'one more' }), 507, 'store-full');
      assertProblem(await client.post('/api/todos', { title: '' }), 400, 'validation-failed');

      assert.equal((await client.get('/api/todos')).json<unknown[]>().length, MAX_ROWS);
      assert.equal((await client.get('/api/todos/2')).json().title, 'todo 2');
      assert.equal((await client.put('/api/todos/2', { title: 'new' })).json().title, 'new');
      assert.equal((await client.delete('/api/todos/2')).status, 204);

      const created = await client.post('/api/todos', { title: 'one more' });
      assert.equal(created.status, 201);
      assert.equal(created.json().id, MAX_ROWS + 1, 'a rejected create uses up no id');
    });

    it('returns 507 only for creates once ids are used up, and reuses no id', async (test) => {
      const { from, to } = variant.fields.id.identity;
      const firstId = typeof to === 'bigint' ? to - 1n : to - 1;
      const { baseUrl } = await serviceFor(test, variant, { firstId });
      const client = new Client(baseUrl);
      test.after(() => client.close());

      assert.equal((await client.post('/api/todos', { title: 'one before' })).status, 201);
      const last = await client.post('/api/todos', { title: 'the last' });
      assert.equal(last.headers.location, `/api/todos/${to}`);
      assert.match(last.text, new RegExp(`"id":${to},`));

      assertProblem(await client.post('/api/todos', { title: 'none' }), 507, 'ids-exhausted');
      assert.equal((await client.get(`/api/todos/${to}`)).text, last.text);
      assert.equal((await client.put(`/api/todos/${to}`, { completed: true })).status, 200);
      assert.equal((await client.delete(`/api/todos/${firstId}`)).status, 204);
      assert.equal((await client.get('/api/todos')).json<unknown[]>().length, 1);
      assertProblem(await client.post('/api/todos', { title: 'none' }), 507, 'ids-exhausted');
      assertProblem(await client.get(`/api/todos/${from}`), 404, 'not-found');
    });
  });
}
