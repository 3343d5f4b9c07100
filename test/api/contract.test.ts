import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem, describeApi } from './suite.ts';

/*
 * The paths that the contract names, word for word, and the methods they have. All other tests take
 * both from the variant.
 */

const ALLOWED = {
  '/api/todos': 'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
  '/api/todos/batch': 'POST, OPTIONS',
  '/api/todos/1': 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS',
  '/api/todos/events': 'GET, HEAD, OPTIONS',
  '/livez': 'GET, HEAD, OPTIONS',
  '/readyz': 'GET, HEAD, OPTIONS',
};

describeApi('the paths of the contract', 'Operations', (api) => {
  for (const [path, allow] of Object.entries(ALLOWED)) {
    it(`are ${path}, with these methods`, async () => {
      for (const [method, status] of [
        ['OPTIONS', 204],
        ['TRACE', 405],
      ] as const) {
        const answer = await api.client.request(method, path);
        assert.equal(answer.status, status);
        assert.equal(answer.headers.allow, allow);
      }
    });
  }

  it('are where an item is created, read, changed and deleted', async () => {
    const created = await api.client.post('/api/todos', { title: 'x' });
    const path = `/api/todos/${created.json().id}`;
    assert.equal(created.status, 201);
    assert.equal(created.headers.location, path);
    assert.equal((await api.client.get(path)).text, created.text);
    assert.equal((await api.client.put(path, { title: 'y' })).json().title, 'y');
    assert.equal((await api.client.patch(path, { completed: true })).json().completed, true);
    assert.equal((await api.client.get('/api/todos')).status, 200);
    assert.equal((await api.client.delete(path)).status, 204);
    assertProblem(await api.client.get(path), 404, 'not-found');
  });

  for (const path of ['/api', '/api/', '/todos', '/']) {
    it(`are not ${path}`, async () => {
      const { status } = await api.client.post(path, { title: 'x' });
      assert.equal(status, path === '/' ? 405 : 404);
    });
  }
});
