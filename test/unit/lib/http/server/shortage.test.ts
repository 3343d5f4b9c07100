import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Request } from '../../../../../src/lib/http/messages/request.ts';
import { valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import { type RawClient, rawClientFor, turns } from '../../../../support/raw.ts';
import { createRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';

const CONTENT_BYTES = 60_000;
const BODY = JSON.stringify('x'.repeat(CONTENT_BYTES - 2));
const POST = createRequest({ path: '/', body: BODY });

/** A server whose requests wait for `release`. */
async function waiting(test: TestContext, maxClientBytes = 64 * 1024 * 1024) {
  let handled = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const wait = (request: Request) =>
    new Promise<ReturnType<typeof valueResponse>>((resolve) => {
      handled++;
      released.then(() => resolve(valueResponse(200, request.content.length)));
    });
  const { server, port } = await serverFor(
    test,
    [route('POST', '/', wait, { content: { mediaTypes: ['application/json'] } })],
    { maxClientBytes },
  );
  const { clients: memory } = server;
  const send = async (count: number, request = POST) => {
    const clients: RawClient[] = [];
    for (let i = 0; i < count; i++) {
      const client = await rawClientFor(test, port);
      clients.push(await client.sendApart(request));
    }
    for (let i = 0; i < 100 && handled === 0; i++) await turns(10);
    return clients;
  };
  return { memory, send, release: () => release() };
}

describe('content of requests whose work waits', () => {
  it('counts also when their clients have gone, until the work ends', async (test) => {
    const { memory, send, release } = await waiting(test);
    const clients = await send(20);
    await turns(20);
    for (const client of clients) client.reset();
    await turns(50);
    assert(memory.total >= 20 * CONTENT_BYTES, `${memory.total} bytes are counted`);
    release();
    await turns(20);
    assert.equal(memory.total, 0);
  });

  it('is no longer accepted past the limit: 503, unless it is short', async (test) => {
    const { memory, send, release } = await waiting(test, 10 * CONTENT_BYTES);
    const clients = await send(12);
    memory.check();
    assert(memory.isExceeded);
    const [late] = await send(1);
    const response = await late?.next();
    assert.deepEqual([response?.status, response?.headers['retry-after']], [503, '1']);
    const short = (await send(1, createRequest({ path: '/', body: '1' })))[0]?.next();
    release();
    assert.equal((await short)?.status, 200);
    for (const client of clients) client.destroy();
  });
});
