import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { variantA } from '../../src/service/todo/variant-a.ts';
import { exchangeBytes } from '../support/raw.ts';
import { startApp } from '../support/service.ts';
import { assertProblem } from './suite.ts';

/** Sends a request with a `Host` to a service on a loopback address. */
async function responseTo(test: TestContext, host: string, env = {}, request = 'GET /api/todos') {
  const { port } = await startApp(test, variantA, { env });
  const fields = `Host: ${host}\r\nConnection: close\r\nIf-Match: x\r\n`;
  const { responses } = await exchangeBytes(port, `${request} HTTP/1.1\r\n${fields}\r\n`);
  const [response] = responses;
  assert(response);
  return response;
}

describe('a service on loopback addresses', () => {
  for (const host of [
    ...['', 'localhost', 'LocalHost:1', 'app.localhost', 'localhost.', '127.0.0.1', '10.1.2.3:80'],
    ...['[::1]', '[::1]:8080', 'ABC.example:8080'],
  ]) {
    it(`serves the Host "${host}"`, async (test) => {
      const env = { CORS_ORIGINS: 'null,https://abc.example' };
      const { port } = await startApp(test, variantA, { env });
      const fields = `Host: ${host}\r\nConnection: close\r\n`;
      const { responses } = await exchangeBytes(port, `GET /livez HTTP/1.1\r\n${fields}\r\n`);
      assert.equal(responses[0]?.status, 200);
    });
  }

  for (const host of [
    'abc.example',
    'localhost.abc.example',
    'xlocalhost',
    'localhost.x',
    'abc.example:80',
  ]) {
    it(`refuses the Host "${host}"`, async (test) => {
      const response = await responseTo(test, host);
      assertProblem(response, 421, 'misdirected-request');
      const origin = `http://${host.replace(':80', '')}`;
      const { detail } = JSON.parse(response.text);
      assert(detail.includes(`add ${origin} to CORS_ORIGINS`), detail);
    });
  }

  it('names no origin in the refusal of a Host that is none, nor *', async (test) => {
    const response = await responseTo(test, '*');
    assertProblem(response, 421, 'misdirected-request');
    assert.doesNotMatch(response.text, /\/\/\*/);
  });

  for (const request of [
    ...['GET /', 'GET /none', 'GET /livez', 'GET /admin/faults', 'DELETE /livez'],
    ...['OPTIONS /api/todos', 'OPTIONS *', 'GET /api/todos?a=1', 'GET http://localhost/api/todos'],
  ]) {
    it(`refuses a foreign Host of ${request}`, async (test) => {
      const env = { ADMIN_TOKEN: 'secret' };
      assertProblem(
        await responseTo(test, 'abc.example', env, request),
        421,
        'misdirected-request',
      );
    });
  }

  it('applies no fault to a request with a foreign Host', async (test) => {
    const { baseUrl, port } = await startApp(test, variantA, { env: { ADMIN_TOKEN: 'secret' } });
    const put = await fetch(`${baseUrl}/admin/faults`, {
      method: 'PUT',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
      body: JSON.stringify({ faults: [{ status: 503, times: 1 }] }),
    });
    assert.equal(put.status, 200);
    const head = 'GET /api/todos HTTP/1.1\r\nHost: abc.example\r\nConnection: close\r\n\r\n';
    const { responses } = await exchangeBytes(port, head);
    assert.equal(responses[0]?.status, 421);
    assert.equal((await fetch(`${baseUrl}/api/todos`)).status, 503);
  });

  it('refuses a preflight with a foreign Host', async (test) => {
    const { port } = await startApp(test, variantA);
    const fields = 'Origin: http://localhost\r\nAccess-Control-Request-Method: PUT\r\n';
    const head = `OPTIONS /api/todos HTTP/1.1\r\nHost: a.b\r\nConnection: close\r\n${fields}\r\n`;
    const { responses } = await exchangeBytes(port, head);
    assert.equal(responses[0]?.status, 421);
  });

  it('rejects bytes that are not HTTP before it checks the Host', async (test) => {
    assert.equal((await responseTo(test, 'a/b')).status, 400);
  });

  it('serves any Host with CORS_ORIGINS=*', async (test) => {
    const { port } = await startApp(test, variantA, { env: { CORS_ORIGINS: '*' } });
    const head = 'GET /livez HTTP/1.1\r\nHost: abc.example\r\nConnection: close\r\n\r\n';
    const { responses } = await exchangeBytes(port, head);
    assert.equal(responses[0]?.status, 200);
  });
});
