import { it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { variantB } from '../../src/service/todo/variant-b.ts';
import { EVENTS, LIST } from '../support/paths.ts';
import { exchangeBytes, RawClient } from '../support/raw.ts';
import { createRequest, getRequest } from '../support/raw-requests.ts';
import { startApp } from '../support/service.ts';
import { turnsUntil } from '../support/within.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The memory that a closed connection may leave behind, in bytes. */
const MAX_REST = 300;

const CONNECTIONS = 400;

it('connections that have closed leave no memory behind, however they end', async (test) => {
  const { port } = await startApp(test, variantB, { env: { MAX_EVENT_STREAMS: '100000' } });
  const kinds: readonly (() => Promise<unknown>)[] = [
    () => exchangeBytes(port, getRequest(LIST, 'Connection: close\r\n')),
    () => exchangeBytes(port, createRequest({ body: 'x'.repeat(70_000) })),
    async () => (await RawClient.connect(port)).send(createRequest().slice(0, -1)).reset(),
    async () => {
      const stream = (await RawClient.connect(port)).send(getRequest(EVENTS));
      await turnsUntil('the stream begins', () => stream.socket.bytesRead > 0);
      stream.reset();
    },
  ];
  const connectAll = async () => {
    for (let i = 0; i < CONNECTIONS; i += 2 * kinds.length) {
      await Promise.all([...kinds, ...kinds].map((connect) => connect()));
    }
  };
  const heapUsed = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  await connectAll();
  const before = heapUsed();
  await connectAll();
  // The last connections may still be closing.
  await turnsUntil(
    `less than ${MAX_REST} bytes are left of each connection`,
    () => heapUsed() - before < MAX_REST * CONNECTIONS,
    500,
  );
});
