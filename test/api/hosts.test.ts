import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Log } from '../../src/lib/log.ts';
import { variantA } from '../../src/service/todo/variant-a.ts';
import { startAdmin } from '../support/admin.ts';
import { exchangeBytes } from '../support/raw.ts';
import { assertProblem } from './suite.ts';

/** Starts a service on a loopback address, and sends it requests. */
async function start(test: TestContext, env: Record<string, string> = {}, log?: Log) {
  const service = await startAdmin(test, variantA, { env, ...(log && { log }) });
  const send = async (host: string, line = 'GET /livez', fields = '') => {
    const head = `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${fields}\r\n`;
    const { responses } = await exchangeBytes(service.port, head);
    return responses[0] ?? assert.fail(`no response to ${line} with the Host ${host}`);
  };
  return { ...service, send };
}

describe('a service on loopback addresses', () => {
  it('serves this machine, IP addresses and allowed hosts', async (test) => {
    const { send } = await start(test, { ALLOWED_HOSTS: 'ABC.example, .sub.example,::2,a_b' });
    for (const host of [
      ...['', 'localhost', 'LocalHost:1', 'app.localhost', 'localhost.', '127.0.0.1'],
      ...['10.1.2.3:80', '[::1]', '[::1]:8080', 'abc.EXAMPLE:8080', 'abc.example.', 'a_b'],
      ...['sub.example', 'x.sub.example', 'y.x.Sub.example:80'],
    ]) {
      assert.equal((await send(host)).status, 200, host);
    }
    for (const host of [
      ...['x.abc.example', 'xabc.example', 'abc.example.x', 'abc.examplex'],
      ...['xsub.example', 'x.sub.example.x', 'example', 'b'],
    ]) {
      assert.equal((await send(host)).status, 421, host);
    }
  });

  it('refuses other Hosts, and names the setting that would allow them', async (test) => {
    const { send } = await start(test);
    for (const host of [
      ...['abc.example', 'localhost.abc.example', 'xlocalhost', 'localhost.x', 'ABC.example:80'],
    ]) {
      const { detail } = assertProblem(await send(host), 421, 'misdirected-request');
      const name = host.replace(':80', '').toLowerCase();
      assert(
        detail.endsWith(`for the host ${host}; to serve it, add ${name} to ALLOWED_HOSTS`),
        detail,
      );
    }
    for (const host of ['*', '%2a', 'a!']) {
      const { detail } = assertProblem(await send(host), 421, 'misdirected-request');
      assert(detail.endsWith('; ALLOWED_HOSTS has the names that are served'), detail);
    }
  });

  it('logs each refused host one time, the first 100 of them', async (test) => {
    const lines: unknown[] = [];
    const { send } = await start(test, {}, (level, message, fields) =>
      lines.push([level, message, fields]),
    );
    for (let i = 0; i < 101; i++) {
      await send(`h${i}.example:80`);
      if (i === 50) await send('H0.example');
    }
    const expected = Array.from({ length: 100 }, (_, i) => [
      ...['warn', 'host refused; ALLOWED_HOSTS can allow it'],
      { host: `h${i}.example` },
    ]);
    assert.deepEqual(lines, expected);
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

  it('checks the authority of an absolute target instead of Host', async (test) => {
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

  it('serves any Host with ALLOWED_HOSTS=*, but not with CORS_ORIGINS=*', async (test) => {
    const { send } = await start(test, { ALLOWED_HOSTS: '*' });
    assert.equal((await send('abc.example')).status, 200);
    const ofHost = await send('localhost', 'GET /api/todos', 'Origin: http://abc.example\r\n');
    assert.equal(ofHost.headers['access-control-allow-origin'], undefined);
    const other = await start(test, { CORS_ORIGINS: '*' });
    assert.equal((await other.send('abc.example')).status, 421);
  });
});
