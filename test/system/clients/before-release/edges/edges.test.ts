import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startApp, VARIANTS } from '../../../../support/service.ts';
import { runProgram } from '../../run.ts';

/** How long the second service of each test keeps a connection that waits, in milliseconds. */
const KEEP_ALIVE_TIMEOUT_MS = 2_000;

/**
 * How long a client pauses: nearly as long as `Keep-Alive` promises, which is a second less than
 * the service waits; then longer than that, so that it needs another connection.
 */
const PAUSES_MS = [KEEP_ALIVE_TIMEOUT_MS - 1_100, KEEP_ALIVE_TIMEOUT_MS + 1_000];

type Program = (args: readonly string[]) => Promise<unknown>;

/** The HTTP clients that come with a language. */
const PROGRAMS: Readonly<Record<string, Program>> = {
  Java: (args) => runProgram('java', [fileOf('Edges.java'), ...args]),
  Go: (args) => runProgram('go', ['run', fileOf('edges.go'), ...args]),
  Python: (args) => runProgram('python3', [fileOf('edges.py'), ...args]),
};

function fileOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Stands before a service, and counts the connections to it. */
async function counting(test: TestContext, port: number) {
  let connections = 0;
  const server = createServer((client) => {
    connections++;
    const upstream = connect(port, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      socket.on('error', () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => server.close());
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}`, connections: () => connections };
}

describe('the HTTP client of', { concurrency: 4 }, () => {
  for (const [language, run] of Object.entries(PROGRAMS)) {
    for (const variant of VARIANTS) {
      it(`${language} keeps its connection, and gets each answer, variant ${variant.name}`, async (test) => {
        const lasting = await startApp(test, variant);
        const env = { KEEP_ALIVE_TIMEOUT_MS: String(KEEP_ALIVE_TIMEOUT_MS) };
        const short = await startApp(test, variant, { env });
        const counted = await counting(test, lasting.port);
        const paused = await counting(test, short.port);
        await run([counted.url, paused.url, ...PAUSES_MS.map(String)]);
        assert.deepEqual([counted.connections(), paused.connections()], [1, 2]);
      });
    }
  }
});
