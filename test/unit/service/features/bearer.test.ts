import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { jsonResponse } from '../../../../src/lib/http/core/response.ts';
import { byteString } from '../../../../src/lib/json/byte-string.ts';
import { bearer } from '../../../../src/service/features/bearer.ts';
import { exchangeBytes } from '../../../support/raw.ts';
import { getRequest } from '../../../support/raw-requests.ts';
import { route } from '../../../support/route.ts';
import { serverFor } from '../../../support/server.ts';

/** The status of the response to a request with some header fields. */
async function responseTo(test: TestContext, fields: string, method = 'GET') {
  const admin = route('GET', '/admin/x', () => jsonResponse(200, byteString('{}')));
  const { middleware } = bearer('/admin/', 'secret');
  const { port } = await serverFor(test, [admin], {}, [middleware]);
  const request = getRequest('/admin/x', `Connection: close\r\n${fields}`).replace('GET', method);
  const [response] = (await exchangeBytes(port, request)).responses;
  assert.equal(response?.headers['cache-control'], 'no-store');
  return response.status;
}

it('the right token is let through, in one field only', async (test) => {
  const right = 'Authorization: Bearer secret\r\n';
  const wrong = 'authorization: Bearer other\r\n';
  assert.equal(await responseTo(test, right), 200);
  for (const fields of ['', wrong, right + wrong, wrong + right, right + right]) {
    assert.equal(await responseTo(test, fields), 401, JSON.stringify(fields));
    assert.equal(await responseTo(test, fields, 'PUT'), 401, JSON.stringify(fields));
  }
  assert.equal(await responseTo(test, right, 'PUT'), 405);
});
