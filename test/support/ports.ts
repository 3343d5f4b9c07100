import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * A range of ports below those that systems assign to programs that ask for any port (from 32,768
 * on Linux, else from 49,152). So a port that is free now will still be free when a program starts
 * to listen on it, or restarts. `fetch` refuses 10,080, which is below them.
 */
const [FIRST, END] = [10_240, 32_768];

/** How many ports of the range a process tries first; another process begins elsewhere. */
const SHARE = 256;

let next = FIRST + (process.pid % Math.floor((END - FIRST) / SHARE)) * SHARE;

/**
 * Returns free ports, none of them twice: a program may begin to listen on its port only after
 * another test has asked for ports.
 */
export async function freePorts(count: number): Promise<number[]> {
  const taken: { readonly server: Server; readonly port: number }[] = [];
  while (taken.length < count) {
    const server = createServer();
    const port = next++;
    if (next === END) next = FIRST;
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
