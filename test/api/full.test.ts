import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from '../support/client.ts';
import { pathsOf } from '../support/paths.ts';
import { serviceFor, VARIANTS } from '../support/service.ts';
import { assertProblem } from './suite.ts';

const MAX_ROWS = 3;

for (const variant of VARIANTS) {
  describe(`a full store, variant ${variant.name.toUpperCase()}`, () => {
    const { LIST, itemPath } = pathsOf(variant);
    it('returns 507 only for creates, until a delete makes room', async (test) => {
      const { baseUrl } = await serviceFor(test, variant, { maxRows: MAX_ROWS });
      const client = new Client(baseUrl);
      test.after(() => client.close());
      for (let id = 1; id <= MAX_ROWS; id++) await client.post(LIST, { title: `todo ${id}` });

      assertProblem(await client.post(LIST, { title: 'one more' }), 507, 'store-full');
      assertProblem(await client.post(LIST, { title: '' }), 400, 'validation-failed');

      assert.equal((await client.get(LIST)).json<unknown[]>().length, MAX_ROWS);
      assert.equal((await client.get(itemPath(2))).json().title, 'todo 2');
      assert.equal((await client.put(itemPath(2), { title: 'new' })).json().title, 'new');
      assert.equal((await client.delete(itemPath(2))).status, 204);

      const created = await client.post(LIST, { title: 'one more' });
      assert.equal(created.status, 201);
      assert.equal(created.json().id, MAX_ROWS + 1, 'a rejected create uses up no id');
    });

    it('returns 507 only for creates once ids are used up, and reuses no id', async (test) => {
      const { from, to } = variant.fields.id.identity;
      const firstId = typeof to === 'bigint' ? to - 1n : to - 1;
      const { baseUrl } = await serviceFor(test, variant, { firstId });
      const client = new Client(baseUrl);
      test.after(() => client.close());

      assert.equal((await client.post(LIST, { title: 'one before' })).status, 201);
      const last = await client.post(LIST, { title: 'the last' });
      assert.equal(last.headers.location, itemPath(to));
      assert.match(last.text, new RegExp(`"id":${to},`));

      assertProblem(await client.post(LIST, { title: 'none' }), 507, 'ids-exhausted');
      assert.equal((await client.get(itemPath(to))).text, last.text);
      assert.equal((await client.put(itemPath(to), { completed: true })).status, 200);
      assert.equal((await client.delete(itemPath(firstId))).status, 204);
      assert.equal((await client.get(LIST)).json<unknown[]>().length, 1);
      assertProblem(await client.post(LIST, { title: 'none' }), 507, 'ids-exhausted');
      assertProblem(await client.get(itemPath(from)), 404, 'not-found');
    });
  });
}
