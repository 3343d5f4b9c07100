import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AUTHORIZED, startAdmin } from '../support/admin.ts';
import { EVENTS, itemPath, LIST } from '../support/paths.ts';
import { VARIANTS } from '../support/service.ts';
import { assertProblem, violationsIn } from './suite.ts';

for (const variant of VARIANTS) {
  describe(`STRICT=off, variant ${variant.name.toUpperCase()}`, () => {
    const env = { STRICT: 'off' };

    it('ignores unknown members of items, but no violation of a field', async (test) => {
      const { client, admin } = await startAdmin(test, variant, { env });
      const created = await client.post(LIST, { title: 'x', done: true, titel: 'y', tags: [] });
      assert.equal(created.status, 201, created.text);
      const item = created.json();
      assert.deepEqual([item.title, item.completed], ['x', false]);
      const path = itemPath(item.id);
      assert.deepEqual((await client.put(path, { status: 'done' })).json(), item);
      assert.deepEqual(violationsIn(await client.post(LIST, { titel: 'x' })), ['#/title required']);
      assert.equal((await client.post(`${LIST}/batch`, [{ title: 'x', z: 1 }])).status, 201);
      assert.equal((await admin('POST', '/admin/reset', [{ title: 'x', userId: 1 }])).status, 204);
      const faults = await admin('PUT', '/admin/faults', { faults: [{ delayMs: 1, z: 1 }] });
      assert.deepEqual(violationsIn(faults), ['#/faults/0/z unknown']);
    });

    it('ignores unknown parameters where a lost condition widens neither write nor journal', async (test) => {
      const { client } = await startAdmin(test, variant, { env });
      for (const query of ['serach=x', 'constructor=x', 'priority_gte=9', 'id[]=1', 'q=x']) {
        for (const path of [LIST, EVENTS, itemPath(1)]) {
          assert.equal((await client.request('HEAD', `${path}?${query}`)).status, 200, query);
        }
        assert.equal((await client.post(`${LIST}?${query}`, { title: 'x' })).status, 201);
        for (const method of ['DELETE', 'PATCH']) {
          const answer = await client.request(method, `${LIST}?${query}&search=x`);
          assertProblem(answer, 400, 'invalid-parameter');
        }
        const journal = await client.get(`/admin/requests?${query}`, AUTHORIZED);
        assertProblem(journal, 400, 'invalid-parameter');
      }
      assert.equal((await client.get('/admin/requests?_=1', AUTHORIZED)).status, 200);
    });

    it('checks known fields and options all the same', async (test) => {
      const { client } = await startAdmin(test, variant, { env });
      for (const query of [
        ...['priority.foo=1', 'priority=x', 'limit=x', 'sort=x', 'where=x'],
        'where={"colour":1}',
      ]) {
        assertProblem(await client.get(`${LIST}?${query}`), 400, 'invalid-parameter');
      }
    });
  });
}
