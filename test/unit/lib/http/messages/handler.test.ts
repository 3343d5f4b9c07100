import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { longResponse } from '../../../../../src/lib/http/messages/long-content.ts';
import { Problem } from '../../../../../src/lib/http/messages/problem.ts';
import type { Middleware } from '../../../../../src/lib/http/messages/request.ts';
import {
  mapResponse,
  valueResponse,
  withHeaders,
} from '../../../../../src/lib/http/messages/response.ts';
import {
  JSON_MEDIA_TYPES,
  jsonObjectOf,
} from '../../../../../src/lib/http/request/json-content.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { assertProblem } from '../../../../support/assertions.ts';
import { Client } from '../../../../support/client.ts';
import { exchangeBytes, turns } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { inParts, route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';
import { createRequest } from '../support/notes.ts';

/** Records method, path and status. */
function recording(seen: string[]): Middleware {
  return (next) => (request) =>
    mapResponse(next(request), request, (response) => {
      seen.push(`${request.method} ${request.template} ${response.status}`);
      return response;
    });
}

const SECRET = 'the password is 12345';

const ROUTES = [
  route('GET', '/now', () => valueResponse(200, {})),
  route(
    'GET',
    '/page',
    () => ({
      status: 200,
      mediaType: 'text/html; charset=utf-8',
      content: byteString('<!doctype html><title>é</title>'),
    }),
    { produces: ['text/html'] },
  ),
  route('GET', '/either', () => valueResponse(200, {}), {
    produces: ['application/json', 'text/html'],
  }),
  route('GET', '/nothing', () => ({ status: 204 }), { produces: [] }),
  route('GET', '/later', async () => {
    await turns(2);
    return valueResponse(200, { later: true });
  }),
  route('GET', '/refuses-later', async () => {
    await turns(1);
    throw new Problem('unknown-path', 'It is not there');
  }),
  route('GET', '/fails', () => {
    throw new Error(SECRET);
  }),
  route('GET', '/fails-later', async () => {
    await turns(1);
    throw new Error(SECRET);
  }),
  route('GET', '/items/{id}', ({ parameter }) => valueResponse(200, parameter)),
  route('GET', '/many', (request) =>
    longResponse(
      request,
      200,
      inParts(
        Array(5)
          .fill(byteString('x'.repeat(100_000)))
          .values(),
      ),
    ),
  ),
  route('POST', '/items', (request) => valueResponse(201, jsonObjectOf(request)), {
    content: { mediaTypes: JSON_MEDIA_TYPES },
  }),
];

async function start(test: TestContext, ...middleware: Middleware[]) {
  const { port, errors } = await serverFor(test, ROUTES, {}, middleware);
  const client = new Client(`http://127.0.0.1:${port}`);
  test.after(() => client.close());
  return { client, port, errors };
}

describe('a handler', () => {
  it('is not called for a client that accepts none of its media types', async (test) => {
    const { client } = await start(test);
    for (const [path, detail, vary] of [
      ['/page', 'Accept must allow text/html', undefined],
      ['/either', 'Accept must allow application/json or text/html', 'Accept'],
    ] as const) {
      const refused = await client.get(path, { accept: 'image/png' });
      assert.equal(assertProblem(refused, 406, 'not-acceptable').detail, detail);
      assert.equal(refused.headers.vary, vary);
    }
    assert.equal((await client.get('/nothing', { accept: 'image/png' })).status, 204);
  });

  it('that fails gets 500 without the error, which is reported; then others are served', async (test) => {
    const { port, errors } = await start(test);
    const last = getRequest('/now', 'Connection: close\r\n');
    for (const path of ['/fails', '/fails-later']) {
      const { responses } = await exchangeBytes(port, getRequest(path) + last);
      const [failed, next] = responses;
      assert(failed);
      assertProblem(failed, 500, 'internal-error');
      assert(!failed.text.includes(SECRET));
      assert.match(String(errors.pop()), new RegExp(SECRET));
      assert.equal(next?.status, 200);
    }
  });
});

describe('middleware', () => {
  it('sees every response: of routes, of the router, of checks, and of errors', async (test) => {
    const seen: string[] = [];
    const { client, port } = await start(test, recording(seen));
    await client.get('/now');
    await client.get('/items/7');
    await client.get('/later');
    await client.get('/refuses-later');
    await client.get('/fails');
    await client.get('/nowhere');
    await client.delete('/items/7');
    await client.request('OPTIONS', '/now');
    await client.get('/now', { accept: 'text/html' });
    await client.request('POST', '/items', { headers: { 'content-type': 'text/x' }, body: 'x' });
    await client.post('/items', { title: 'x' });
    await client.get('/many');
    await exchangeBytes(port, 'nonsense\r\n\r\n');
    const large = createRequest({ fields: 'Content-Length: 99999\r\n', body: '' });
    await exchangeBytes(port, large.replace('/api/notes', '/items'));
    assert.deepEqual(seen, [
      'GET /now 200',
      'GET /items/{id} 200',
      'GET /later 200',
      'GET /refuses-later 404',
      'GET /fails 500',
      'GET undefined 404',
      'DELETE /items/{id} 405',
      'OPTIONS /now 204',
      'GET /now 406',
      'POST /items 415',
      'POST /items 201',
      'GET /many 200',
      ' undefined 400',
      'POST /items 413',
    ]);
  });

  it('is nested in the order of its list', async (test) => {
    const marking =
      (name: string): Middleware =>
      (next) =>
      (request) =>
        mapResponse(next(request), request, (response) =>
          withHeaders(response, { 'X-Order': `${response.headers?.['X-Order'] ?? ''}${name}` }),
        );
    const { client } = await start(test, marking('outer'), marking('inner '));
    for (const path of ['/now', '/later', '/nowhere']) {
      assert.equal((await client.get(path)).headers['x-order'], 'inner outer', path);
    }
  });

  it('can reject a request, at once or later, visibly to outer middleware', async (test) => {
    const seen: string[] = [];
    const refusing: Middleware = (next) => (request) => {
      if (request.headers['x-refused'] === 'first') throw new Problem('draining', 'first');
      return mapResponse(next(request), request, (response) => {
        if (request.headers['x-refused'] === 'last') throw new Problem('unknown-path', 'last');
        return response;
      });
    };
    const { client } = await start(test, recording(seen), refusing);
    const paths = ['/now', '/later', '/many'];
    for (const path of paths) {
      assert.equal((await client.get(path, { 'x-refused': 'first' })).status, 503);
      assert.equal((await client.get(path, { 'x-refused': 'last' })).status, 404);
      assert.equal((await client.get(path)).status, 200);
    }
    const statuses = [503, 404, 200];
    const expected = paths.flatMap((path) => statuses.map((status) => `GET ${path} ${status}`));
    assert.deepEqual(seen, expected);
  });
});
