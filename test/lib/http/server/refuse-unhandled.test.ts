import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Problem } from '../../../../src/lib/http/core/problem.ts';
import { jsonResponse } from '../../../../src/lib/http/core/response.ts';
import { byteString } from '../../../../src/lib/json/byte-string.ts';
import { RawClient } from '../../../support/raw.ts';
import { createRequest, getRequest } from '../../../support/raw-requests.ts';
import { route } from '../../../support/route.ts';
import { serverFor } from '../../../support/server.ts';

const TYPE = { code: 'over', status: 409, title: 'Over' };
const PROBLEM = new Problem(TYPE, 'It is over', { close: true });

async function start(test: TestContext) {
  const handled: string[] = [];
  let respond = () => {};
  const until = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const handle = ({ path }: { path: string }) => {
    handled.push(path);
    return jsonResponse(200, byteString('{}'));
  };
  const content = { mediaTypes: ['application/json'] };
  const routes = ['/a', '/b', '/spared'].map((path) => route('POST', path, handle, { content }));
  const slow = route('GET', '/slow', (request) => until.then(() => handle(request)));
  const { port, server, errors } = await serverFor(test, [...routes, slow]);
  const client = await RawClient.connect(port);
  test.after(() => {
    client.destroy();
    assert.deepEqual(errors, []);
  });
  const refuse = () => server.refuseUnhandled(PROBLEM, (path) => path === '/spared');
  return { client, handled, refuse, respond, server };
}

const post = (path: string) => createRequest({ path });

describe('requests that are not handled yet', () => {
  it('are refused at once if they are arriving; nothing behind them is handled', async (test) => {
    const { client, handled, refuse } = await start(test);
    const [rest, start_] = [post('/a').slice(-5), post('/a').slice(0, -5)];
    await client.sendApart(start_);
    refuse();
    const response = await client.next();
    assert.deepEqual([response?.status, response?.headers.connection], [409, 'close']);
    client.send(rest + post('/b'));
    assert.deepEqual(await client.toEnd(), []);
    assert.deepEqual([handled, await client.ended], [[], 'closed']);
  });

  it('are refused in their turn if another is being handled, which goes on', async (test) => {
    const { client, handled, refuse, respond } = await start(test);
    await client.sendApart(getRequest('/slow') + post('/a') + post('/b'));
    refuse();
    respond();
    assert.deepEqual(
      (await client.toEnd()).map(({ status }) => status),
      [200, 409],
    );
    assert.deepEqual(handled, ['/slow']);
  });

  it('are refused if their content is long, and waits for its turn', async (test) => {
    const { client, handled, refuse } = await start(test);
    const body = JSON.stringify({ title: 'x'.repeat(60_000) });
    const request = createRequest({ path: '/a', body });
    await client.sendApart(request.slice(0, -1));
    client.send(request.slice(-1));
    refuse();
    assert.deepEqual(
      (await client.toEnd()).map(({ status }) => status),
      [409],
    );
    assert.deepEqual(handled, []);
  });

  it('are spared by their path, and so are those that come later', async (test) => {
    const { client, handled, refuse } = await start(test);
    await client.sendApart(post('/spared').slice(0, -5));
    refuse();
    client.send(post('/spared').slice(-5) + post('/b'));
    assert.deepEqual(
      (await client.take(2)).map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual(handled, ['/spared', '/b']);
  });
});
