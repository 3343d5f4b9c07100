import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { variantA } from '../../src/service/todo/variant-a.ts';
import { startAdmin } from '../support/admin.ts';
import { exchangeBytes } from '../support/raw.ts';
import { assertProblem } from './suite.ts';

/** Starts a service on a loopback address, and sends it requests. */
async function start(test: TestContext, env: Record<string, string> = {}) {
  const service = await startAdmin(test, variantA, { env });
  const send = async (host: string, line = 'GET /livez', fields = '') => {
    const head = `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${fields}\r\n`;
    const { responses } = await exchangeBytes(service.port, head);
    return responses[0] ?? assert.fail(`no response to ${line} with the Host ${host}`);
  };
  return { ...service, send };
}

describe('a service on loopback addresses', () => {
  it('serves this machine, IP addresses and the hosts of allowed origins', async (test) => {
    const { send } = await start(test, { CORS_ORIGINS: 'null,https://abc.example' });
    for (const host of [
      ...['', 'localhost', 'LocalHost:1', 'app.localhost', 'localhost.', '127.0.0.1'],
      ...['10.1.2.3:80', '[::1]', '[::1]:8080', 'ABC.example:8080'],
    ]) {
      assert.equal((await send(host)).status, 200, host);
    }
  });

  it('refuses other Hosts, and names the origin that would allow them', async (test) => {
    const { send } = await start(test);
    for (const host of [
      ...['abc.example', 'localhost.abc.example', 'xlocalhost', 'localhost.x', 'abc.example:80'],
    ]) {
      const { detail } = assertProblem(await send(host), 421, 'misdirected-request');
      const origin = `http://${host.replace(':80', '')}`;
      assert(detail.includes(`add ${origin} to CORS_ORIGINS`), detail);
    }
    const response = await send('*');
    assertProblem(response, 421, 'misdirected-request');
    assert.doesNotMatch(response.text, /\/\/\*/, 'no origin has the host *');
  });

  it('refuses a foreign Host of every request, before all other checks', async (test) => {
    const { send } = await start(test);
    for (const line of [
      ...['GET /', 'GET /none', 'GET /livez', 'GET /admin/faults', 'DELETE /livez', 'OPTIONS *'],
      ...['OPTIONS /api/todos', 'GET /api/todos?a=1', 'GET http://abc.example/api/todos'],
    ]) {
      const response = await send('abc.example', line, 'If-Match: x\r\n');
      assertProblem(response, 421, 'misdirected-request');
    }
    const preflight = 'Origin: http://localhost\r\nAccess-Control-Request-Method: PUT\r\n';
    assert.equal((await send('a.b', 'OPTIONS /api/todos', preflight)).status, 421);
    assert.equal((await send('a/b')).status, 400, 'an invalid Host is no Host');
  });

  it('goes by the authority of the target instead, if it has one', async (test) => {
    const { send } = await start(test);
    for (const [authority, host, status] of [
      ['localhost', 'abc.example', 200],
      ['LOCALHOST:80', 'abc.example', 200],
      ['abc.example', 'localhost', 421],
      ['abc.example:80', '', 421],
    ] as const) {
      for (const scheme of ['http', 'https']) {
        const line = `GET ${scheme}://${authority}/livez`;
        assert.equal((await send(host, line)).status, status, `${line} ${host}`);
        // The Host that was ignored is not allowed for later requests.
        assert.equal((await send('abc.example')).status, 421);
      }
    }
  });

  it('applies no fault to a request with a foreign Host', async (test) => {
    const { client, setFaults, send } = await start(test);
    await setFaults({ status: 503, times: 1 });
    assert.equal((await send('abc.example', 'GET /api/todos')).status, 421);
    assert.equal((await client.get('/api/todos')).status, 503);
  });

  it('serves any Host with CORS_ORIGINS=*', async (test) => {
    const { send } = await start(test, { CORS_ORIGINS: '*' });
    assert.equal((await send('abc.example')).status, 200);
  });
});
