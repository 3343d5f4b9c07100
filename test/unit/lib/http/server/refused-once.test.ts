import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Middleware } from '../../../../../src/lib/http/core/request.ts';
import { rawClientFor, turns } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { serverFor } from '../../../../support/server.ts';

it('a request that is being refused gets one response, although its content is malformed', async (test) => {
  let handled = 0;
  let goOn = () => {};
  const slow: Middleware = (next) => async (request) => {
    handled++;
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    return next(request);
  };
  const { port, errors } = await serverFor(test, [], {}, [slow]);
  const client = await rawClientFor(test, port);
  // It is refused at once, as its client waits for a 100.
  const fields = 'Host: h\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n';
  client.send(`POST /none HTTP/1.1\r\n${fields}\r\n1\r\nx\r\n`);
  await turns(20);
  client.send('not a chunk\r\n');
  await turns(20);
  goOn();
  const statuses = (await client.toEnd()).map(({ status }) => status);
  assert.deepEqual([statuses, handled, errors], [[404], 1, []]);
});

const CHUNKED = 'POST /none HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n';

it('a refused request in chunks is responded to once all of it has come, and the next one, too', async (test) => {
  const { port } = await serverFor(test, []);
  const client = await rawClientFor(test, port);
  let isThere = false;
  const response = client.send(CHUNKED).next();
  void response.then(() => {
    isThere = true;
  });
  await turns(20);
  assert.equal(isThere, false);
  client.send('0\r\n\r\n');
  assert.equal((await response)?.status, 404);
  assert.equal((await client.send(getRequest('/none')).next())?.status, 404);
});

it('a refused request of which the rest does not come holds up no stop', async (test) => {
  const { server, port } = await serverFor(test, []);
  const client = await rawClientFor(test, port);
  client.send(CHUNKED);
  await turns(20);
  assert.equal(await server.drain(5_000), true);
});
