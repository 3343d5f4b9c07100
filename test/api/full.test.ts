import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pathsOf } from '../support/paths.ts';
import { startApp, VARIANTS } from '../support/service.ts';
import { assertProblem } from './suite.ts';

const MAX_ROWS = 3;

for (const variant of VARIANTS) {
  describe(`a full store, variant ${variant.name.toUpperCase()}`, () => {
    const { LIST, itemPath } = pathsOf(variant);
    it('returns 507 only for creates, until a delete makes room', async (test) => {
      const { client } = await startApp(test, variant, { env: { MAX_ROWS: `${MAX_ROWS}` } });
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
  });
}
