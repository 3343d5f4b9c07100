import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonResponse } from '../../../src/http/core/response.ts';
import { byteString } from '../../../src/json/byte-string.ts';
import { getRequest } from '../../support/edge.ts';
import { RawClient, talk } from '../../support/raw.ts';
import { route } from '../../support/route.ts';
import { serverFor } from '../../support/server.ts';

const REQUESTS = 200;

/** How long the processor is busy with each of them, in milliseconds. */
const BUSY_MS = 2;

it('requests of one packet let those of other clients in between', async (test) => {
  const served: string[] = [];
  const { port } = await serverFor(test, [
    route('GET', '/busy', () => {
      served.push('busy');
      for (const end = performance.now() + BUSY_MS; performance.now() < end; );
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
  await sleep(20);
  one.send(getRequest('/busy').repeat(REQUESTS));
  other.send(getRequest('/other'));
  const [responses] = await Promise.all([one.take(REQUESTS), other.next()]);
  assert(responses.every(({ status }) => status === 200));
  assert.equal(served.length, REQUESTS + 1);
  const before = served.indexOf('other');
  assert(before < REQUESTS / 4, `${before} requests of one client were served before another`);
});

it('of many requests with content in one segment, the first are served, and the connection ends', async (test) => {
  const contents: string[] = [];
  const accepts = ['text/plain'];
  const { port, server } = await serverFor(test, [
    route(
      'POST',
      '/echo',
      ({ content }) => {
        contents.push(content.toString());
        return jsonResponse(200, byteString('{}'));
      },
      { accepts },
    ),
  ]);
  const fields = 'Content-Type: text/plain\r\nContent-Length: 3\r\n';
  const request = (i: number) => `POST /echo HTTP/1.1\r\nHost: h\r\n${fields}\r\n${100 + i}`;
  const bytes = Array.from({ length: 500 }, (_, i) => request(i)).join('');
  const { responses, end } = await talk(port, bytes);
  assert(responses.length > 50 && responses.length < 500, `${responses.length} responses`);
  assert(responses.every(({ status }) => status === 200));
  assert.equal(responses.at(-1)?.headers.connection, 'close');
  assert.equal(end, 'closed');
  assert.deepEqual(
    contents,
    responses.map((_, i) => `${100 + i}`),
  );
  await sleep(50);
  assert.equal(server.heldMemory.total, 0);
});
