import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import type { RawClient } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { describeEdges } from '../support/edge.ts';
import { createRequest } from '../support/notes.ts';

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const CHUNK = `10000\r\n${'x'.repeat(0x10000)}\r\n`;

/** Requests of which no route reads the content, and the status of endless content. */
const UNREAD = {
  GET: getRequest('/livez', CHUNKED),
  OPTIONS: createRequest({ fields: CHUNKED, body: '' }).replace('POST', 'OPTIONS'),
};

/** Sends chunks until the server ends the connection, and returns how many bytes it accepted. */
async function sendWithoutEnd(client: RawClient): Promise<number> {
  const limit = 64 * 1024 * 1024;
  let sent = 0;
  while (client.socket.writable && sent < limit) {
    const { socket } = client;
    if (!socket.write(CHUNK)) await Promise.race([once(socket, 'drain'), client.ended]);
    sent += CHUNK.length;
  }
  return sent;
}

describeEdges('content that no route reads', (edge) => {
  for (const [method, bytes] of Object.entries(UNREAD)) {
    it(`of ${method}: is read to its end, but not beyond 64 KiB`, async () => {
      const little = await edge.answers(`${bytes}3\r\nabc\r\n0\r\n\r\n`);
      assert.equal(little.status, method === 'GET' ? 200 : 204);
      const client = await edge.connect();
      client.send(bytes);
      const response = client.next();
      const sent = await sendWithoutEnd(client);
      assert.equal((await response)?.status, 413);
      assert(sent < 32 * 1024 * 1024, `${sent} bytes were sent`);
      client.destroy();
    });
  }
});
