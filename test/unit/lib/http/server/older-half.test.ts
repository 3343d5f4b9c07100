import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { type RawClient, rawClientFor } from '../../../../support/raw.ts';
import { createRequest, getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';

/** More than the system takes of a response that is not read. */
const LONG = Buffer.alloc(32 * 1024 * 1024, 'x');

/** A server whose handlers wait for `release`, or respond with what is long, or a stream. */
async function start(test: TestContext) {
  const time = new ManualClock(test);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const waiting =
    (isWrite: boolean) =>
    async (
      request: Parameters<typeof route>[2] extends (request: infer R) => unknown ? R : never,
    ) => {
      await request.wait(released, { isWrite });
      return valueResponse(200, 'x');
    };
  const { server, port } = await serverFor(test, [
    route('GET', '/read', waiting(false)),
    route('GET', '/write', waiting(true)),
    route('GET', '/long', () => ({ status: 200, content: LONG })),
    route('GET', '/stream', () => ({
      status: 200,
      content: (writer) => writer.write(byteString(':')),
    })),
    route('POST', '/', () => valueResponse(201, 'x'), {
      content: { mediaTypes: ['application/json'] },
    }),
  ]);
  /** Clients whose requests arrive one after the other. */
  const send = async (count: number, request: string) => {
    const clients: RawClient[] = [];
    for (let i = 0; i < count; i++) {
      const client = await rawClientFor(test, port);
      client.socket.pause();
      await client.sendApart(request);
      await time.advance(1);
      clients.push(client);
    }
    return clients;
  };
  return { server, time, send, release: () => release() };
}

const haveEnded = (clients: readonly RawClient[]) =>
  clients.map(({ socket }) => socket.bytesRead > 0);

describe('when the heap is nearly full', () => {
  for (const [title, request] of [
    ['requests that have changed nothing', getRequest('/read')],
    ['requests whose content has not arrived', createRequest({ path: '/' }).slice(0, -1)],
  ] as const) {
    it(`the older half of ${title} gets 503`, async (test) => {
      const { server, send, release } = await start(test);
      const clients = await send(4, request);
      server.endOlderHalf();
      for (const client of clients.slice(0, 2)) {
        client.socket.resume();
        assert.equal((await client.next())?.status, 503);
      }
      assert.deepEqual(haveEnded(clients.slice(2)), [false, false]);
      assert.equal(server.refusals.count('memory'), 2);
      release();
    });
  }

  it('a write that is done keeps its response', async (test) => {
    const { server, send, release } = await start(test);
    const [write] = await send(1, getRequest('/write'));
    server.endOlderHalf();
    release();
    write?.socket.resume();
    assert.equal((await write?.next())?.status, 200);
  });

  it('a response is cut if nothing of it was read for a second', async (test) => {
    const { server, send, time } = await start(test);
    const [unread] = await send(1, getRequest('/long'));
    server.endOlderHalf();
    assert.equal(server.cuts.count('unread'), 0, 'it was read a moment ago');
    await time.advance(3_000);
    server.endOlderHalf();
    assert.equal(server.cuts.count('unread'), 1);
    unread?.destroy();
  });

  it('a connection without a request is closed if it was silent for a second', async (test) => {
    const { server, send, time } = await start(test);
    const clients = await send(4, getRequest('/write').slice(0, -2));
    server.endOlderHalf();
    assert.equal(server.cuts.count('idle'), 0, 'they were active a moment ago');
    await time.advance(3_000);
    server.endOlderHalf();
    assert.equal(server.cuts.count('idle'), 2);
    for (const client of clients.slice(0, 2)) {
      client.ignore().socket.resume();
      await client.ended;
    }
  });

  it('event streams end only if nothing else is left', async (test) => {
    const { server, send, release } = await start(test);
    const streams = await send(2, getRequest('/stream'));
    const [read] = await send(1, getRequest('/read'));
    server.endOlderHalf();
    read?.socket.resume();
    assert.equal((await read?.next())?.status, 503);
    assert.deepEqual(
      streams.map(({ hasEnded }) => hasEnded),
      [false, false],
    );
    read?.destroy();
    await read?.ended;
    await send(0, '');
    server.endOlderHalf();
    const [oldest, other] = streams;
    oldest?.ignore().socket.resume();
    await oldest?.ended;
    assert.equal(other?.hasEnded, false);
    release();
  });
});
