import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { longResponse } from '../../../../../src/lib/http/messages/long-content.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { RawClient } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { inParts, route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';
import { describeEdges, type RawServer } from '../support/edge.ts';
import { createRequest } from '../support/notes.ts';

const CHUNK = byteString('x'.repeat(64 * 1024));

it('only a client that does not read is disconnected, not one that reads slowly', async (test) => {
  const long = route('GET', '/', (request) =>
    longResponse(request, 200, inParts(Array(300).fill(CHUNK).values())),
  );
  const settings = { sendTimeout: 1_500, connectionsCheckingInterval: 50 };
  const { port } = await serverFor(test, [long], settings);
  const slow = (await RawClient.connect(port)).ignore().send(getRequest('/'));
  slow.socket.pause();
  const stuck = (await RawClient.connect(port)).send(getRequest('/'));
  stuck.socket.pause();
  let isSlowCut = false;
  slow.socket.once('close', () => {
    isSlowCut = true;
  });
  const reading = setInterval(() => {
    slow.socket.resume();
    setImmediate(() => slow.socket.pause());
  }, 50);
  await sleep(4_000);
  clearInterval(reading);
  assert.equal(isSlowCut, false, `it had read ${slow.socket.bytesRead} bytes`);
  slow.destroy();
  stuck.ignore().socket.resume();
  await stuck.ended;
  assert(stuck.socket.bytesRead < 300 * CHUNK.length, 'the other has not got all');
});

/** The parts of field values that a quadratic parser would take long to read. */
const CRAFTED = {
  Accept: ['"', '\\"', ','],
  'Content-Type': ['a/b;', 'x="', '\\"'],
  Connection: ['close,', ' ', '\t'],
  'Accept-Encoding': [',', 'a;'],
  Expect: ['"', ' '],
  Host: ['a.', '%41', ':'],
} as const;

async function answerOnce(edge: RawServer, request: string): Promise<void> {
  const client = await edge.connect();
  await client.send(request).next();
  client.destroy();
}

/**
 * The shortest of several runs, in milliseconds, stopping at the first fast one: other load on the
 * machine slows down some runs, work quadratic in its input slows down all.
 */
async function fastest(runs: number, work: () => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && least > 20; run++) {
    const begin = performance.now();
    await work();
    least = Math.min(least, performance.now() - begin);
  }
  return least;
}

describeEdges('fields and targets crafted to take long', (edge) => {
  for (const [name, pieces] of Object.entries(CRAFTED)) {
    it(`${name}: are parsed fast`, async () => {
      for (const first of pieces) {
        for (const piece of pieces) {
          const value = (first + piece.repeat(7_900 / piece.length)).slice(0, 7_900);
          const request =
            name === 'Host'
              ? `GET /api/notes HTTP/1.1\r\nHost: ${value}\r\n\r\n`
              : createRequest({ fields: `${name}: ${value}\r\nContent-Length: 20\r\n` });
          const ms = await fastest(5, () => answerOnce(edge, request));
          assert(ms < 100, `${ms} ms for ${JSON.stringify(first + piece)}`);
        }
      }
    });
  }
});

describeEdges('lists of entity tags crafted to take long', (edge) => {
  for (const name of ['If-Match', 'If-None-Match']) {
    it(`${name}: are parsed fast`, async () => {
      const count = 12;
      const fields = `${name}: "a",${' '.repeat(7_900)}x\r\n`;
      const requests = getRequest('/api/notes', fields).repeat(count);
      const ms = await fastest(5, async () => {
        const client = await edge.connect();
        const responses = await client.send(requests).take(count);
        assert.equal(responses.length, count);
        client.destroy();
      });
      assert(ms < 2_000, `${ms} ms`);
    });
  }
});
