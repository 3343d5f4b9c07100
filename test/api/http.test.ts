import assert from 'node:assert/strict';
import http from 'node:http';
import { it } from 'node:test';
import { assertProblem, describeApi } from './suite.ts';

describeApi('paths, methods and negotiation', 'Operations', (api) => {
  const { collection } = api;
  for (const path of [
    `${collection}/`,
    `/${collection}`,
    collection.replaceAll('/', '//'),
    `${collection}//1`,
    `${collection}/1/`,
    `${collection}/1/2`,
    `${collection}/.`,
    `${collection}/..`,
    `${collection}/%2e%2E`,
    `/.${collection}`,
    `/x/..${collection}`,
    collection.replace(/\w$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
    collection.toUpperCase(),
    `${collection};v=1`,
  ]) {
    it(`returns 404 for ${path}`, async () => {
      assertProblem(await api.client.get(path), 404, 'unknown-path');
      assertProblem(await api.client.post(path, { title: 'x' }), 404, 'unknown-path');
    });
  }

  it('names the intended path if a final slash or one letter is the difference', async () => {
    const short = collection.slice(0, -1);
    for (const [path, intended] of [
      [`${collection}/`, collection],
      [`${collection}/1/`, `${collection}/1`],
      [short, collection],
      [`${short}/1`, `${collection}/1`],
      [`${collection}x/1`, `${collection}x/1`.replace('x/', '/')],
      ['/livex', '/livez'],
      ['/openapi.jso', '/openapi.json'],
    ] as const) {
      const { detail } = assertProblem(await api.client.get(path), 404, 'unknown-path');
      assert.equal(detail, `No resource has the path ${path}; did you mean ${intended}?`);
    }
    for (const path of [
      ...['/nowhere', '/x', '/livxx', `${short}/`, `${collection}//`, `/a${collection}`],
      ...['/api/v1/tasks', '/items/1', '/jpa/users/in28/entries/'],
    ]) {
      const { detail } = assertProblem(await api.client.get(path), 404, 'unknown-path');
      assert.equal(detail, `No resource has the path ${path}; the items are at ${collection}`);
    }
    const name = collection.slice(collection.lastIndexOf('/'));
    for (const [path, ...intended] of [
      [name, collection],
      [`${name}/`, collection],
      [`${name}/1`, `${collection}/1`],
      [`/v1${name}`, collection],
      [`/api/v2${name}/1`, `${collection}/1`],
      [collection.toUpperCase(), collection],
      ...['/health', '/healthz', '/healthcheck', '/_health', '/actuator/health', '/ping'].map(
        (path) => [path, '/livez', '/readyz'] as const,
      ),
      ...['/docs', '/api-docs', '/swagger.json', '/swagger-ui/index.html', '/v3/api-docs'].map(
        (path) => [path, '/openapi.json', '/'] as const,
      ),
      ['/api', collection],
      ['/requests', '/admin/requests'],
      ['/reset', '/admin/reset'],
    ] as const) {
      const { detail } = assertProblem(await api.client.get(path), 404, 'unknown-path');
      const hint = `did you mean ${intended.join(' or ')}?`;
      assert.equal(detail, `No resource has the path ${path}; ${hint}`);
    }
    const long = `${collection}/${'x'.repeat(1_000)}/`;
    const { detail, instance } = assertProblem(await api.client.get(long), 404, 'unknown-path');
    assert.deepEqual([detail, instance], ['No resource has this path', long]);
  });

  it('returns all methods for OPTIONS *, and 404 for OPTIONS of an unknown path', async () => {
    assertProblem(await api.client.request('OPTIONS', '/nowhere'), 404, 'unknown-path');
    // undici cannot send the asterisk form, node:http can.
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const request = http.request(api.baseUrl, { method: 'OPTIONS', path: '*' }, resolve);
      request.once('error', reject).end();
    });
    assert.equal(response.resume().statusCode, 204);
    const document = await api.client.document();
    assert.deepEqual(response.headers.allow?.split(', ').sort(), document.methodsOf('*'));
  });

  it('is alive and ready', async () => {
    for (const path of ['/livez', '/readyz']) {
      const answer = await api.client.get(path);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json(), { status: 'ok' });
    }
  });
});
