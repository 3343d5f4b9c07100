import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { jsonResponse } from '../../../../../src/lib/http/core/response.ts';
import { DEFAULT_SETTINGS } from '../../../../../src/lib/http/server/settings.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { rawClientFor, turns } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';

/** A connection, and the memory of the server after it has read some bytes. */
async function connection(test: TestContext) {
  const content = { mediaTypes: ['application/json'] };
  const now = () => jsonResponse(200, byteString('{}'));
  const routes = [route('GET', '/now', now), route('POST', '/now', now, { content })];
  const clock = new ManualClock(test);
  const { port, server } = await serverFor(test, routes);
  const client = await rawClientFor(test, port);
  const held = async (...pieces: string[]) => {
    await client.sendApart(...pieces);
    await turns(20);
    // The memory is computed at intervals.
    await clock.advance(DEFAULT_SETTINGS.connectionsCheckingInterval);
    return server.clients.total;
  };
  return { client, held, idle: await held() };
}

it('a partial header section counts as the longest one, until it is complete', async (test) => {
  const { client, held, idle } = await connection(test);
  const request = getRequest('/now', `a: ${'b'.repeat(6_000)}\r\n`);
  for (let i = 0; i < 2; i++) {
    assert.equal(await held(request.slice(0, 10)), idle + 24 * 1024);
    assert.equal(await held(request.slice(10, 5_000)), idle + 24 * 1024);
    assert.equal(await held(request.slice(5_000)), idle);
    assert.equal((await client.next())?.status, 200);
  }
});

it('content does not count as part of one', async (test) => {
  const { client, held, idle } = await connection(test);
  const content = 'x'.repeat(60_000);
  const fields = `Content-Type: application/json\r\nContent-Length: ${content.length}\r\n`;
  const total = await held(`POST /now HTTP/1.1\r\nHost: h\r\n${fields}\r\n`, content);
  assert.equal((await client.next())?.status, 200);
  assert.equal(total, idle);
});
