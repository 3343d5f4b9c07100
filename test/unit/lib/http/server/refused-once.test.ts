import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Interceptor } from '../../../../../src/lib/http/messages/request.ts';
import type { RequestHooks } from '../../../../../src/lib/http/server/service.ts';
import { rawClientFor, statusesOf, turns } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { serverFor } from '../../../../support/server.ts';
import { within } from '../../../../support/within.ts';

it('a request that is being refused gets one response, although its content is malformed', async (test) => {
  let handled = 0;
  let goOn = () => {};
  const slow: Interceptor = () => async (handle) => {
    handled++;
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    return handle();
  };
  const { port, errors } = await serverFor(test, [], {}, { intercept: slow });
  const client = await rawClientFor(test, port);
  // It is refused at once, as its client waits for a 100.
  const fields = 'Host: h\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n';
  client.send(`POST /none HTTP/1.1\r\n${fields}\r\n1\r\nx\r\n`);
  await turns(20);
  client.send('not a chunk\r\n');
  await turns(20);
  goOn();
  const statuses = statusesOf(await client.toEnd());
  assert.deepEqual([statuses, handled, errors], [[404], 1, []]);
});

const HEAD = 'POST /none HTTP/1.1\r\nHost: h\r\n';

for (const [title, head, content, connection] of [
  ['chunks that have arrived', 'Transfer-Encoding: chunked', '1\r\nx\r\n0\r\n\r\n', 'keep-alive'],
  ['chunks that arrive', 'Transfer-Encoding: chunked', '1\r\nx\r\n', 'close'],
  ['a length that arrives', 'Content-Length: 65536', 'x', 'keep-alive'],
  ['a length after a 100', 'Expect: 100-continue\r\nContent-Length: 1', '', 'close'],
] as const) {
  it(`a request with ${title} is refused at once: ${connection}`, async (test) => {
    const { port, server } = await serverFor(test, []);
    const client = await rawClientFor(test, port);
    const response = await client.send(`${HEAD}${head}\r\n\r\n${content}`).next();
    assert.deepEqual([response?.status, response?.headers.connection], [404, connection]);
    if (connection === 'close') assert.deepEqual(await client.toEnd(), []);
    // Content that does not come holds up no stop.
    assert.equal(await within('the stop', server.drain(5_000)), true);
  });
}

it('a client that ends its side within the content of a refused request is disconnected', async (test) => {
  const { port } = await serverFor(test, []);
  const client = await rawClientFor(test, port);
  const response = await client.send(`${HEAD}Content-Length: 10\r\n\r\n`).next();
  assert.equal(response?.headers.connection, 'keep-alive');
  assert.deepEqual(await client.finish().toEnd(), []);
});

it('content of a refused request is skipped, and the next request is served', async (test) => {
  const { port } = await serverFor(test, []);
  const client = await rawClientFor(test, port);
  const statuses: unknown[] = [];
  for (const length of [1, 10_000, 65_536]) {
    statuses.push((await client.send(`${HEAD}Content-Length: ${length}\r\n\r\n`).next())?.status);
    client.send('x'.repeat(length));
  }
  statuses.push((await client.send(getRequest('/none')).next())?.status);
  assert.deepEqual(statuses, [404, 404, 404, 404]);
});

const fail = () => assert.fail('a test');

for (const [title, failing] of [
  ['before a handler', { observe: fail }],
  ['after a handler', { transformResponse: fail }],
] as const) {
  it(`an error of a feature ${title} is a 500 for the features before it, and is reported`, async (test) => {
    const seen: number[] = [];
    const before: RequestHooks = {
      observe: (request) => request.onResponse(({ status }) => seen.push(status)),
      transformResponse: (response) => {
        seen.push(response.status);
        return response;
      },
    };
    const { port, errors } = await serverFor(test, [], {}, before, failing);
    const client = await rawClientFor(test, port);
    assert.equal((await client.send(getRequest('/none')).next())?.status, 500);
    assert.deepEqual([seen, errors.length], [[500, 500], 1]);
  });
}
