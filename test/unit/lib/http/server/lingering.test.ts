import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { longResponse } from '../../../../../src/lib/http/messages/long-content.ts';
import { valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import {
  DEFAULT_SETTINGS,
  type HttpSettings,
} from '../../../../../src/lib/http/server/http-settings.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { ManualTimers } from '../../../../support/clock.ts';
import { turns } from '../../../../support/raw.ts';
import { createRequest, getRequest } from '../../../../support/raw-requests.ts';
import { inParts, route } from '../../../../support/route.ts';
import { serverFor, takenBytes } from '../../../../support/server.ts';
import { happens, turnsUntil, within } from '../../../../support/within.ts';

const MIB = 1024 * 1024;

/** The most bytes that a system takes for a connection that is not read. */
const BUFFERS = 16 * MIB;

/** Ways to send a response. `node:http` itself would close the connection after all but the first. */
const ROUTES = [
  route('GET', '/whole', () => valueResponse(200, 1)),
  route('GET', '/parts', (request) => {
    const parts = Array(8).fill(byteString('x'.repeat(64 * 1024)));
    return longResponse(request, 200, { make: () => inParts(parts.values()) });
  }),
  route('GET', '/stream', () => ({ status: 200, content: (writer) => writer.end() })),
];

/** The client may send more requests after its response, unlike after `Connection: close`. */
const REFUSED = route('GET', '/refused', () => ({ ...valueResponse(503, 1), close: true }));

const lastRequest = (path: string) => getRequest(path, 'Connection: close\r\n');

const REQUESTS = [
  ...ROUTES.map(({ path }) => ({ title: path, request: lastRequest(path) })),
  {
    title: 'content',
    request: createRequest({ fields: `Content-Length: ${32 * MIB}\r\n`, body: '' }),
  },
];

/** A client that has read the last response, and whose connection stays open. */
async function lingering(
  test: TestContext,
  request = lastRequest('/whole'),
  settings: Partial<HttpSettings> = {},
) {
  const timers = new ManualTimers(test, (ms) => ms === DEFAULT_SETTINGS.lingerTimeout);
  const { port, server } = await serverFor(test, [...ROUTES, REFUSED], {
    stopArrivalTimeout: 0,
    ...settings,
  });
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
  test.after(() => client.destroy());
  client.on('error', () => {});
  client.write(request);
  await happens(client, 'end');
  return { client, server, timers };
}

/** Sends bytes until the server reads no more. @returns how many it and the system have taken */
async function sendOn(client: Socket): Promise<number> {
  const before = client.bytesWritten - client.writableLength;
  const chunk = Buffer.alloc(MIB);
  let taken = 0;
  for (let idle = 0; idle < 50 && !client.destroyed && taken < 8 * MIB + BUFFERS; idle++) {
    if (client.writableLength === 0) {
      idle = 0;
      client.write(chunk);
    }
    await turns(10);
    taken = client.bytesWritten - client.writableLength - before;
  }
  return taken;
}

describe('after the last response', () => {
  for (const { title, request } of REQUESTS) {
    it(`${title}: 8 MiB are read, and the connection closes after a second`, async (test) => {
      const { client, timers } = await lingering(test, request);
      const taken = await sendOn(client);
      // A reset could overtake the response.
      assert.equal(client.destroyed, false);
      assert(taken >= 8 * MIB && taken < 8 * MIB + BUFFERS, `${taken} bytes are taken`);
      await timers.end();
      await turnsUntil('the connection closes', () => client.destroyed);
    });
  }

  it('a segment of requests takes room, and disconnects its client when there is none', async (test) => {
    const refused = getRequest('/refused');
    const { client, server } = await lingering(test, refused, { places: 25 });
    client.write(getRequest('/whole').repeat(2_000));
    await turnsUntil('the connection closes', () => server.openConnections === 0);
    assert.equal(takenBytes(server), 0);
    assert.equal(server.cuts.count('unread'), 1);
  });

  it('a client that sends on does not hold up a stop', async (test) => {
    const { client, server } = await lingering(test);
    await sendOn(client);
    assert.equal(await within('the stop', server.drain(600_000)), true);
  });
});
