import assert from 'node:assert/strict';
import { it } from 'node:test';
import { jsonResponse } from '../../../../src/lib/http/core/response.ts';
import { byteString } from '../../../../src/lib/json/byte-string.ts';
import { MovedClock } from '../../../support/clock.ts';
import { RawClient, talk, turns } from '../../../support/raw.ts';
import { getRequest } from '../../../support/raw-requests.ts';
import { inSteps, route } from '../../../support/route.ts';
import { serverFor } from '../../../support/server.ts';

const REQUESTS = 100;

/** How long the processor is busy with each of them, in milliseconds. */
const BUSY_MS = 2;

it('requests of one packet let those of other clients in between', async (test) => {
  const served: string[] = [];
  const clock = new MovedClock(test);
  const { port } = await serverFor(test, [
    route('GET', '/busy', () => {
      served.push('busy');
      clock.skip(BUSY_MS);
      return jsonResponse(200, byteString('{}'));
    }),
    route('GET', '/other', () => {
      served.push('other');
      return jsonResponse(200, byteString('{}'));
    }),
  ]);
  const [one, other] = await Promise.all([RawClient.connect(port), RawClient.connect(port)]);
  test.after(() => {
    one.destroy();
    other.destroy();
  });
  await turns(20);
  one.send(getRequest('/busy').repeat(REQUESTS));
  other.send(getRequest('/other'));
  const [responses] = await Promise.all([one.take(REQUESTS), other.next()]);
  assert(responses.every(({ status }) => status === 200));
  assert.equal(served.length, REQUESTS + 1);
  const before = served.indexOf('other');
  assert(before < REQUESTS / 4, `${before} requests of one client were served before another`);
});

it('hundreds of requests with content in one segment are served in order', async (test) => {
  const contents: string[] = [];
  const content = { mediaTypes: ['text/plain'] };
  const echo = route(
    'POST',
    '/echo',
    ({ content }) => {
      contents.push(content.toString());
      return jsonResponse(200, byteString('{}'));
    },
    { content },
  );
  const { port } = await serverFor(test, [echo]);
  const client = await RawClient.connect(port);
  test.after(() => client.destroy());
  const sent = Array.from({ length: 600 }, (_, i) => `${100 + i}`);
  const fields = 'Content-Type: text/plain\r\nContent-Length: 3\r\n';
  const head = `POST /echo HTTP/1.1\r\nHost: h\r\n${fields}\r\n`;
  const responses = await client.send(sent.map((text) => head + text).join('')).take(sent.length);
  assert(responses.every(({ status }) => status === 200));
  assert.deepEqual(contents, sent);
});

it('an offer of an upgrade that waits is served after its client has ended', async (test) => {
  const { port } = await serverFor(test, [
    route('GET', '/slow', async () => {
      await turns(50);
      return jsonResponse(200, byteString('{}'));
    }),
    route('GET', '/now', () => ({ status: 204 })),
  ]);
  const upgrade = getRequest('/now', 'Connection: Upgrade\r\nUpgrade: h2c\r\n');
  for (const next of [upgrade, upgrade + getRequest('/now')]) {
    const client = await RawClient.connect(port);
    test.after(() => client.destroy());
    await client.sendApart(getRequest('/slow'), next);
    const responses = await client.finish().toEnd();
    assert.deepEqual(
      responses.map(({ status }) => status),
      next === upgrade ? [200, 204] : [200, 204, 204],
    );
  }
});

it('a long response is sent to its end although CONNECT follows', async (test) => {
  const parts = Array.from({ length: 20 }, () => byteString('x'.repeat(1_000_000)));
  const { port } = await serverFor(test, [
    route('GET', '/long', () => jsonResponse(200, inSteps(parts.values()))),
  ]);
  const { responses, end } = await talk(
    port,
    `${getRequest('/long')}CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n`,
  );
  assert.deepEqual(
    responses.map(({ text }) => text.length),
    [parts.length * 1_000_000],
  );
  assert.equal(end, 'closed');
});

it('an unknown method that waits gets a response after its client has ended', async (test) => {
  const { port } = await serverFor(test, [
    route('GET', '/slow', async () => {
      await turns(50);
      return jsonResponse(200, byteString('{}'));
    }),
  ]);
  const client = await RawClient.connect(port);
  test.after(() => client.destroy());
  const unknown = getRequest('/slow').replace('GET', 'BREW');
  const responses = await client
    .send(getRequest('/slow') + unknown)
    .finish()
    .toEnd();
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 405],
  );
});

it('requests that come after the last one take no memory', async (test) => {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const live = route('GET', '/live', () => ({
    status: 200,
    content: (writer) => writer.on('end', end),
  }));
  const { server, port } = await serverFor(test, [live]);
  const client = await RawClient.connect(port);
  test.after(() => client.destroy());
  await client.sendApart(getRequest('/live'));
  // A segment holds more than a thousand of them.
  client.send(getRequest('/').repeat(20_000)).finish();
  await ended;
  const { total } = server.scheduler.memory;
  assert(total < 64 * 1024, `${total} bytes are held`);
});
