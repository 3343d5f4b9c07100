import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeApi } from './suite.ts';

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

  for (const path of ['/api', '/api/', '/todos', '/']) {
    it(`are not ${path}`, async () => {
      const { status } = await api.client.post(path, { title: 'x' });
      // The page is optional.
      assert(status === 404 || (status === 405 && path === '/'), String(status));
    });
  }
});
