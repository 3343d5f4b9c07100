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

const HEAD = getRequest('/now', `a: ${'b'.repeat(6_000)}\r\n`);

/** A connection, and what its client makes the server hold once it has read some bytes. */
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
    // What it holds is counted at intervals.
    await clock.advance(DEFAULT_SETTINGS.connectionsCheckingInterval);
    return server.clients.total;
  };
  return { client, held, idle: await held() };
}

it('a partial header section counts as held, until it is complete', async (test) => {
  const { client, held, idle } = await connection(test);
  const partial = await held(HEAD.slice(0, 2_000), HEAD.slice(2_000, 4_000), HEAD.slice(4_000, -2));
  assert(partial >= idle + HEAD.length, `${partial} bytes`);
  await held(HEAD.slice(-2));
  assert.equal((await client.next())?.status, 200);
  assert.equal(await held(getRequest('/now')), idle);
});

it('so does one after a complete request in the same segment, and after content', async (test) => {
  const { held, idle } = await connection(test);
  const content = 'x'.repeat(50_000);
  const fields = `Content-Type: application/json\r\nContent-Length: ${content.length}\r\n`;
  const post = `POST /now HTTP/1.1\r\nHost: h\r\n${fields}\r\n${content}`;
  for (const before of [getRequest('/now'), getRequest('/now').repeat(2), post, post + post]) {
    const partial = await held(before + HEAD.slice(0, -2));
    assert(partial >= idle + HEAD.length, `${partial} bytes`);
    assert(await held('\r'), 'one byte more');
    assert((await held('\n')) < idle + 3 * HEAD.length);
    assert.equal(await held(getRequest('/now')), idle);
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
