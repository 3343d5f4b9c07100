import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AUTHORIZED, startAdmin } from '../support/admin.ts';
import { EVENTS, itemPath, LIST } from '../support/paths.ts';
import { VARIANTS } from '../support/service.ts';
import { assertProblem, refusedIn, violationsIn } from './suite.ts';

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
      assert.deepEqual((await client.put(path, { status: 'done', title: 'x' })).json(), item);
      assert.deepEqual(violationsIn(await client.post(LIST, { titel: 'x' })), ['#/title required']);
      assert.equal((await client.post(`${LIST}/batch`, [{ title: 'x', z: 1 }])).status, 201);
      assert.equal((await admin('POST', '/admin/reset', [{ title: 'x', userId: 1 }])).status, 204);
      const faults = await admin('PUT', '/admin/faults', { faults: [{ delayMs: 1, z: 1 }] });
      assert.deepEqual(violationsIn(faults), ['#/faults/0/z unknown']);
    });

    it('ignores members that the request cannot set, of any type', async (test) => {
      const { client } = await startAdmin(test, variant, { env });
      for (const value of [true, 999_999, '1999-01-01T00:00:00.000', 'x', {}]) {
        const ignored = { id: value, createdAt: value };
        const answer = await client.post(LIST, { title: 'x', completed: value, ...ignored });
        assert.equal(answer.status, 201, answer.text);
        const item = answer.json();
        assert.deepEqual([item.id === value, item.completed], [false, false]);
        for (const method of ['PUT', 'PATCH']) {
          const headers = { 'content-type': 'application/json' };
          const body = JSON.stringify(ignored);
          const changed = await client.request(method, itemPath(item.id), { headers, body });
          assert.deepEqual(changed.json(), item);
        }
        assert.equal((await client.patch(`${LIST}?id.gte=1`, ignored)).status, 200);
      }
    });

    it('refuses a change that has members, none of which is known', async (test) => {
      const { client } = await startAdmin(test, variant, { env });
      const item = (await client.post(LIST, { title: 'x' })).json();
      const path = itemPath(item.id);
      for (const change of [
        (body: object) => client.put(path, body),
        (body: object) => client.patch(path, body),
        (body: object) => client.patch(`${LIST}?id.gte=1`, body),
      ]) {
        const answer = await change({ isComplete: true, userId: 1 });
        assert.deepEqual(violationsIn(answer), ['#/isComplete unknown', '#/userId unknown']);
        const { errors } = assertProblem(answer, 400, 'validation-failed');
        assert.equal(errors?.[0]?.detail, 'is unknown; did you mean completed?');
        for (const body of [{}, { id: item.id, x: 1 }, { createdAt: null, x: 1 }]) {
          assert.equal((await change(body)).status, 200, JSON.stringify(body));
        }
      }
      assert.deepEqual((await client.get(path)).json(), item);
    });

    it('refuses names that page, which would never end', async (test) => {
      const { client } = await startAdmin(test, variant, { env });
      for (const name of [
        ...['page', 'pageNumber', 'pageIndex', 'pageSize', 'perPage', 'skip', 'start', 'end'],
        ...['range', 'after', 'cursor', '_page', 'per_page', '$skip', '_start', 'Page_Number'],
      ]) {
        for (const path of [LIST, itemPath(1)]) {
          const answer = await client.get(`${path}?${name}=2`);
          assert.deepEqual(refusedIn(answer), [`${name} unknown`]);
        }
        const { detail } = assertProblem(
          await client.get(`${LIST}?${name}=2`),
          400,
          'invalid-parameter',
        );
        assert.match(detail, /; use limit and offset, such as limit=20&offset=40$/);
      }
      assert.equal((await client.get(`${LIST}?pages=2&_limit=1`)).status, 200);
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
