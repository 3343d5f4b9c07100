import assert from 'node:assert/strict';
import http from 'node:http';
import { it } from 'node:test';
import { assertProblem, describeApi } from './suite.ts';

const LIST = '/api/todos';
const ALLOW_LIST = 'GET, HEAD, QUERY, POST, DELETE, OPTIONS';
const ALLOW_ITEM = 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS';

describeApi('paths, methods and negotiation', (api) => {
  for (const path of [
    '/api',
    '/api/',
    '/api/todos/',
    '/api//todos',
    '//api/todos',
    '/api/todos//1',
    '/api/todos/1/',
    '/api/todos/1/2',
    '/api/todos/.',
    '/api/todos/..',
    '/api/todos/%2e%2E',
    '/api/./todos',
    '/api/x/../todos',
    '/api/%74odos',
    '/API/todos',
    '/api/todos;v=1',
  ]) {
    it(`returns 404 for ${path}`, async () => {
      assertProblem(await api.client.get(path), 404, 'unknown-path');
      assertProblem(await api.client.post(path, { title: 'x' }), 404, 'unknown-path');
    });
  }

  it('returns 405 with Allow for other methods on known paths', async () => {
    const { id } = await api.create();
    for (const [path, methods, allow] of [
      [LIST, ['PUT', 'PATCH', 'TRACE', 'PROPFIND'], ALLOW_LIST],
      [`${LIST}/${id}`, ['POST', 'TRACE', 'LOCK'], ALLOW_ITEM],
      ['/livez', ['POST', 'DELETE'], 'GET, HEAD, OPTIONS'],
    ] as const) {
      for (const method of methods) {
        const answer = await api.client.request(method, path);
        assertProblem(answer, 405, 'method-not-allowed');
        assert.equal(answer.headers.allow, allow);
      }
    }
  });

  it('returns 204 with Allow for OPTIONS', async () => {
    for (const [path, allow] of [
      [LIST, ALLOW_LIST],
      [`${LIST}/1`, ALLOW_ITEM],
    ] as const) {
      const answer = await api.client.request('OPTIONS', path);
      assert.equal(answer.status, 204);
      assert.equal(answer.headers.allow, allow);
      assert.equal(answer.text, '');
    }
    assertProblem(await api.client.request('OPTIONS', '/nowhere'), 404, 'unknown-path');
  });

  it('returns all methods for OPTIONS *', async () => {
    // undici cannot send the asterisk form, node:http can.
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const request = http.request(api.baseUrl, { method: 'OPTIONS', path: '*' }, resolve);
      request.once('error', reject).end();
    });
    assert.equal(response.resume().statusCode, 204);
    assert.equal(response.headers.allow, 'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS');
  });

  it("returns GET's status and header fields for HEAD, without content", async () => {
    const { id } = await api.create();
    for (const path of [LIST, `${LIST}/${id}`, `${LIST}/0`, `${LIST}/abc`, '/nowhere', '/livez']) {
      const head = await api.client.request('HEAD', path);
      const get = await api.client.get(path);
      assert.equal(head.status, get.status, path);
      assert.equal(head.text, '');
      for (const name of ['content-type', 'content-length']) {
        assert.equal(head.headers[name], get.headers[name], `${path} ${name}`);
      }
    }
  });

  it('honours Accept', async () => {
    const { id } = await api.create();
    for (const [accept, status] of [
      ['*/*', 200],
      ['application/json', 200],
      ['APPLICATION/JSON', 200],
      ['application/*', 200],
      ['application/json;charset=utf-8', 200],
      ['text/html, application/xhtml+xml, */*;q=0.8', 200],
      ['text/html, image/gif, *; q=.2, */*; q=.2', 200],
      ['application/json;q=0.001', 200],
      ['text/html', 406],
      ['application/xml', 406],
      ['application/problem+json', 406],
      ['application/json;q=0', 406],
      ['*/*;q=0', 406],
      ['application/json;q=0, */*', 406],
      ['application/*;q=0, */*;q=1', 406],
      ['application/json, */*;q=0', 200],
    ] as const) {
      const answer = await api.client.get(`${LIST}/${id}`, { accept });
      assert.equal(answer.status, status, accept);
      if (status === 406) assertProblem(answer, 406, 'not-acceptable');
    }
  });

  it('does nothing if the response would not be acceptable', async () => {
    const todo = await api.create();
    const headers = { accept: 'text/html' };
    const count = (await api.list()).length;
    assertProblem(await api.send('POST', LIST, '{"title":"x"}', headers), 406, 'not-acceptable');
    assertProblem(
      await api.send('PUT', `${LIST}/${todo.id}`, '{"title":"x"}', headers),
      406,
      'not-acceptable',
    );
    assert.equal((await api.list()).length, count);
    assert.deepEqual((await api.client.get(`${LIST}/${todo.id}`)).json(), todo);
  });

  it('is alive and ready', async () => {
    for (const path of ['/livez', '/readyz']) {
      const answer = await api.client.get(path);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json(), { status: 'ok' });
    }
  });

  it('serves 64 clients at once', async () => {
    const count = 64;
    const todos = await Promise.all(
      Array.from({ length: count }, (_, n) => api.create({ title: `client ${n}` })),
    );
    assert.equal(new Set(todos.map(({ id }) => id)).size, count);
    await Promise.all(
      todos.map(async (todo) => {
        const changed = (await api.client.put(`${LIST}/${todo.id}`, { priority: 1 })).json();
        assert.deepEqual(changed, { ...todo, priority: 1 });
        assert.equal((await api.client.delete(`${LIST}/${todo.id}`)).status, 204);
        assert.equal((await api.client.get(`${LIST}/${todo.id}`)).status, 404);
      }),
    );
  });
});
