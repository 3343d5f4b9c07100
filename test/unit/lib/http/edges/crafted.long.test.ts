import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getRequest } from '../../../../support/raw-requests.ts';
import { describeEdges, type RawServer } from '../support/edge.ts';
import { createRequest } from '../support/notes.ts';

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
