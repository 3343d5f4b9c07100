import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { longResponse } from '../../../../../src/lib/http/messages/long-content.ts';
import type { Request } from '../../../../../src/lib/http/messages/request.ts';
import { type StreamWriter, valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import { JSON_MEDIA_TYPES } from '../../../../../src/lib/http/request/json-content.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { createMasks } from '../../../../../src/lib/masks.ts';
import { NOT_YET, type Steps } from '../../../../../src/lib/steps.ts';
import { accessLog } from '../../../../../src/service/observe/access-log.ts';
import { HttpMetrics } from '../../../../../src/service/observe/http-metrics.ts';
import { RawClient, rawClientFor, turns } from '../../../../support/raw.ts';
import { createRequest, getRequest } from '../../../../support/raw-requests.ts';
import { inParts, route } from '../../../../support/route.ts';
import { fillQueue, serverFor, takenBytes } from '../../../../support/server.ts';
import { happens, turnsUntil, within } from '../../../../support/within.ts';

describe('a client that disconnects while its response is produced', () => {
  it('is counted and logged as a request without a response, not as an error', async (test) => {
    const seen = new EventEmitter();
    const endless: Steps<undefined, never> = {
      next: () => {
        seen.emit('step');
        return NOT_YET;
      },
    };
    const metrics = new HttpMetrics();
    const { port, errors } = await serverFor(
      test,
      [route('GET', '/endless', (request) => request.run(endless))],
      {},
      accessLog(
        (line) => seen.emit('line', line),
        () => undefined,
        createMasks([]),
      ),
      metrics,
    );
    const client = await RawClient.connect(port);
    const logged = happens(seen, 'line');
    const begun = happens(seen, 'step');
    client.send(getRequest('/endless'));
    await begun;
    client.reset();
    const [{ status, clientAddress }] = await logged;
    assert.equal(status, undefined);
    assert.equal(clientAddress, '127.0.0.1');
    const [durations] = metrics.read();
    const labels = 'http_request_method="GET",http_route="/endless",url_scheme="http"';
    assert(durations?.endsWith(`_count{${labels}} 1\n`), durations);
    assert.deepEqual(errors, []);
  });

  it('leaves the queue of long work at once, so that others may wait there', async (test) => {
    let isLast = false;
    const steps: Steps<undefined, string> = {
      next: () => {
        const step = isLast ? ({ done: true, value: 'done' } as const) : NOT_YET;
        isLast = true;
        return step;
      },
    };
    const { server, port } = await serverFor(
      test,
      [
        route('POST', '/', () => ({ status: 204 }), { content: { mediaTypes: JSON_MEDIA_TYPES } }),
        route('GET', '/', async (request) => valueResponse(200, await request.run(steps))),
      ],
      { permits: 2 },
    );
    fillQueue(test, server);
    for (let i = 0; i < 10; i++) {
      const client = await RawClient.connect(port);
      await client.sendApart(createRequest({ path: '/', body: 'x'.repeat(10_000) }));
      client.reset();
    }
    await turns(5);
    const client = await rawClientFor(test, port);
    assert.equal((await client.send(getRequest('/')).next())?.status, 200);
  });

  it('frees its work at once, not when the queue comes to it', async (test) => {
    let isClosed = false;
    const steps = {
      next: () => NOT_YET,
      close: () => {
        isClosed = true;
      },
    };
    const { server, port } = await serverFor(test, [
      route('GET', '/', (request) => request.run<never>(steps)),
    ]);
    const client = await RawClient.connect(port);
    await client.sendApart(getRequest('/'));
    fillQueue(test, server);
    await turns(2);
    client.reset();
    await turns(5);
    assert(isClosed);
  });

  it('leaves no content in steps open that comes after it', async (test) => {
    const events = new EventEmitter();
    let isClosed = false;
    const steps = inParts([byteString('x'), byteString('y')].values());
    const content = Object.assign(steps, {
      close: () => {
        isClosed = true;
      },
    });
    const { port } = await serverFor(test, [
      route('GET', '/late', async (request) => {
        await once(events, 'late');
        return longResponse(request, 200, { make: () => content });
      }),
    ]);
    const client = await RawClient.connect(port);
    await client.sendApart(getRequest('/late'));
    client.reset();
    await turns(5);
    events.emit('late');
    await turns(5);
    assert(isClosed);
  });

  it('opens no live content that comes after it', async (test) => {
    const live = await liveServer(test);
    const client = await RawClient.connect(live.port);
    await client.sendApart(getRequest('/live'));
    client.reset();
    await turns(5);
    void live.open().then(() => assert.fail('it is opened'));
    await turns(5);
  });

  it('frees content that arrives alone, or behind a response that it has not read', async (test) => {
    const { server, port } = await serverFor(test, [
      route('GET', '/', () => ({ status: 200, content: Buffer.alloc(32 * 1024 * 1024) })),
      route('POST', '/', () => ({ status: 204 }), { content: { mediaTypes: JSON_MEDIA_TYPES } }),
    ]);
    const part = createRequest({ path: '/', body: 'x'.repeat(10_000) }).slice(0, -1);
    for (const requests of [[part], [getRequest('/'), part]]) {
      const client = await RawClient.connect(port);
      client.socket.pause();
      await client.sendApart(...requests);
      assert(takenBytes(server) > 0);
      client.reset();
      await turnsUntil('nothing is kept', () => takenBytes(server) === 0);
    }
  });

  for (const [title, next] of [
    ['a request for an upgrade', getRequest('/live', 'Upgrade: x\r\nConnection: upgrade\r\n')],
    ['CONNECT', 'CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n'],
  ] as const) {
    it(`is noticed by live content that ${title} follows`, async (test) => {
      const live = await liveServer(test);
      const client = await RawClient.connect(live.port);
      await client.sendApart(getRequest('/live'));
      const writer = await live.open();
      const ended = within('its end', new Promise<void>((end) => writer.on('end', end)));
      await client.sendApart(next, 'more');
      client.destroy();
      await ended;
    });
  }

  it('is noticed by live content that comes after it', async (test) => {
    const live = await liveServer(test);
    const client = await RawClient.connect(live.port);
    await client.sendApart(getRequest('/live'));
    client.finish();
    await turns(5);
    const writer = await live.open();
    await within('its end', new Promise<void>((end) => writer.on('end', end)));
    client.destroy();
  });
});

/** A server of which the test opens the live content when it wants. */
async function liveServer(test: TestContext) {
  const events = new EventEmitter();
  const { port } = await serverFor(test, [
    route('GET', '/live', async () => {
      await once(events, 'open');
      return { status: 200, content: (writer) => events.emit('opened', writer) };
    }),
  ]);
  const open = async (): Promise<StreamWriter> => {
    const opened = once(events, 'opened');
    events.emit('open');
    const [writer] = await opened;
    return writer;
  };
  return { port, open };
}

it('a request knows whether its client has ended its side, and how much it holds', async (test) => {
  let request: Request | undefined;
  let release = () => {};
  const end = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { port, server } = await serverFor(test, [
    route('GET', '/', async (given) => {
      request = given;
      await given.wait(end, { bytes: 1_000_000 });
      return valueResponse(200, given.isHalfClosed);
    }),
  ]);
  const client = await rawClientFor(test, port);
  client.send(getRequest('/'));
  await turnsUntil('it waits', () => request !== undefined);
  assert.equal(request?.isHalfClosed, false);
  assert(takenBytes(server) > 1_000_000, 'the memory that it holds counts');
  client.socket.end();
  await turnsUntil('its end is seen', () => request?.isHalfClosed === true);
  assert.equal(request?.isDisconnected, false);
  release();
  assert.equal((await client.next())?.text, 'true');
  await turnsUntil('the memory is free', () => takenBytes(server) < 100_000);
});
