import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Request } from '../../../../../src/lib/http/messages/request.ts';
import { valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { type RawClient, rawClientFor, turns } from '../../../../support/raw.ts';
import { createRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';

const CONTENT_BYTES = 60_000;
const BODY = JSON.stringify('x'.repeat(CONTENT_BYTES - 2));
const POST = createRequest({ path: '/', body: BODY });

const ADMIN = '/admin';
const ADMIN_BYTES = 800_000;
const TOKEN = 'Bearer a-token';

/** A request for `/admin`. */
function adminPost(authorization: string, bytes = ADMIN_BYTES): string {
  const body = JSON.stringify('x'.repeat(bytes - 2));
  const fields = `Authorization: ${authorization}\r\nContent-Length: ${bytes}\r\n`;
  return createRequest({ path: ADMIN, body, fields });
}

const ADMIN_POST = adminPost(TOKEN);
const CONTENT = { mediaTypes: ['application/json'], maxBytes: 1024 * 1024 };

/** A server whose requests wait for `release`. */
async function waiting(test: TestContext, maxContentBytes = 64 * 1024 * 1024) {
  const isOfAdmin = ({ path, headers }: Pick<Request, 'path' | 'headers'>) =>
    path === ADMIN && headers.authorization === TOKEN;
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
    ['/', ADMIN].map((path) => route('POST', path, wait, { content: CONTENT })),
    { maxContentBytes },
    { isOfAdmin },
  );
  const send = async (count: number, request = POST) => {
    const clients: RawClient[] = [];
    for (let i = 0; i < count; i++) {
      const client = await rawClientFor(test, port);
      clients.push(await client.sendApart(request));
    }
    for (let i = 0; i < 100 && handled === 0; i++) await turns(10);
    return clients;
  };
  return { server, send, release: () => release() };
}

describe('content of requests whose work waits', () => {
  it('counts also when their clients have gone, until the work ends', async (test) => {
    const { server, send, release } = await waiting(test);
    const clients = await send(20);
    await turns(20);
    for (const client of clients) client.reset();
    await turns(50);
    assert(server.clientBytes >= 20 * CONTENT_BYTES, `${server.clientBytes} bytes are counted`);
    release();
    await turns(20);
    assert.equal(server.clientBytes, 0);
  });

  it('is no longer accepted past the limit: 503 at once, unless it is short', async (test) => {
    const { server, send, release } = await waiting(test, 10 * CONTENT_BYTES);
    const clients = await send(10);
    // Before its content has been read.
    const [late] = await send(1, POST.slice(0, POST.indexOf('\r\n\r\n') + 4));
    const response = await late?.next();
    assert.deepEqual([response?.status, response?.headers['retry-after']], [503, '1']);
    assert.equal(server.refusals.count('contents'), 1);
    const chunked = createRequest({ path: '/', body: '' }).replace(
      /Content-Length: 0/i,
      'Transfer-Encoding: chunked',
    );
    const [long] = await send(1, `${chunked}1388\r\n${'x'.repeat(5_000)}\r\n`);
    assert.equal((await long?.next())?.status, 503);
    const short = (await send(1, createRequest({ path: '/', body: '1' })))[0]?.next();
    release();
    assert.equal((await short)?.status, 200);
    for (const client of clients) assert.equal((await client.next())?.status, 200);
    assert.equal((await (await send(1))[0]?.next())?.status, 200);
  });

  it('that has stopped arriving for a second gets 408 while others want its room', async (test) => {
    const time = new ManualClock(test);
    const { server, send } = await waiting(test, CONTENT_BYTES);
    const [silent] = await send(1, POST.slice(0, -1));
    await time.advance(3_000);
    assert.equal(silent?.hasEnded, false);
    const [refused] = await send(1);
    assert.equal((await refused?.next())?.status, 503);
    await time.advance(1_000);
    assert.match((await silent?.next())?.text ?? '', /"status":408.*59999 of 60000 bytes/);
    assert.equal(server.cuts.count('silent'), 1);
  });
});

describe('the memory for content of operators', () => {
  it('is not taken by requests without its token, also while they wait for their turn', async (test) => {
    const { send, release } = await waiting(test, CONTENT_BYTES);
    // It takes all memory for content of others.
    await send(1);
    const other = adminPost('Bearer another');
    const head = other.slice(0, other.indexOf('\r\n\r\n') + 4);
    await send(1, createRequest({ path: '/', body: '1' }) + head);
    const [operator] = await send(1, ADMIN_POST);
    release();
    assert.equal((await operator?.next())?.status, 200);
  });

  it('is taken by requests with its token, also while they wait for their turn', async (test) => {
    const { send, release } = await waiting(test, CONTENT_BYTES);
    await send(1);
    const [operator] = await send(
      1,
      createRequest({ path: '/', body: '1' }) + adminPost(TOKEN, 8_000),
    );
    release();
    for (let i = 0; i < 2; i++) assert.equal((await operator?.next())?.status, 200);
  });

  it('is wanted until the next check: later, content that stops arriving has time', async (test) => {
    const time = new ManualClock(test);
    const { send, release } = await waiting(test);
    release();
    const [first] = await send(1, ADMIN_POST.slice(0, -1));
    const [second] = await send(1, ADMIN_POST);
    assert.equal((await second?.next())?.status, 200);
    first?.send(ADMIN_POST.slice(-1));
    assert.equal((await first?.next())?.status, 200);
    await time.advance(3_000);
    const [slow] = await send(1, ADMIN_POST.slice(0, -1));
    await time.advance(3_000);
    slow?.send(ADMIN_POST.slice(-1));
    assert.equal((await slow?.next())?.status, 200);
  });
});
