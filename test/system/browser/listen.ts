import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import type { TestContext } from 'node:test';

/** Lets a server listen on a free loopback port until the test ends. Returns its URL. */
export async function listen(test: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  return `http://127.0.0.1:${address.port}`;
}
