import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import { assertProblem } from '../../../../support/assertions.ts';
import { clientFor } from '../../../../support/client.ts';
import { exchangeBytes, turns } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';

const SECRET = 'the password is 12345';

const ROUTES = [
  route('GET', '/now', () => valueResponse(200, {})),
  route('GET', '/page', () => valueResponse(200, {}), { produces: ['text/html'] }),
  route('GET', '/either', () => valueResponse(200, {}), {
    produces: ['application/json', 'text/html'],
  }),
  route('GET', '/nothing', () => ({ status: 204 }), { produces: [] }),
  route('GET', '/fails', () => {
    throw new Error(SECRET);
  }),
  route('GET', '/fails-later', async () => {
    await turns(1);
    throw new Error(SECRET);
  }),
];

describe('a handler', () => {
  it('is not called for a client that accepts none of its media types', async (test) => {
    const { port } = await serverFor(test, ROUTES);
    const client = clientFor(test, `http://127.0.0.1:${port}`);
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
    const { port, errors } = await serverFor(test, ROUTES);
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
