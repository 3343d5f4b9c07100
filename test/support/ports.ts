import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Ports that systems assign to nobody who asks for any: they begin at 32,768 (Linux) or 49,152. So
 * a port that is free now is still free when a program is told to listen on it, even for the second
 * time.
 */
const [FIRST, END] = [10_000, 32_768];

/** Returns different ports that are free, and stay so for a while. */
export async function freePorts(count: number): Promise<number[]> {
  const taken: { readonly server: Server; readonly port: number }[] = [];
  while (taken.length < count) {
    const server = createServer();
    const port = randomInt(FIRST, END);
    server.listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) taken.push({ server, port });
  }
  for (const { server } of taken) {
    server.close();
    await once(server, 'close');
  }
  return taken.map(({ port }) => port);
}
