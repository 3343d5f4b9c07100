import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** The error codes for listening at an address that the machine does not have. */
const NO_ADDRESS = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/**
 * The maximum number of connections that wait to be accepted, as many as Linux allows. Node accepts
 * one per turn of the event loop, so its default of 511 is soon exceeded. Then some are reset.
 */
export const BACKLOG = 4096;

/** The maximum number of ports to try if a port is free at only one of the addresses. */
const MAX_TRIES = 10;

/** Whether an address is a loopback address. */
export function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address);
}

/**
 * Listens on both loopback addresses, or on the one that the machine has, at the same port.
 * @param server listens on 127.0.0.1, and gets the connections to ::1
 * @returns the server that accepts the connections to ::1, if there is one
 */
export async function listenOnLoopback(server: Server, port: number): Promise<Server | undefined> {
  for (let triesLeft = MAX_TRIES - 1; ; triesLeft--) {
    const ipv6 = await listenOnIPv6(server, port);
    try {
      await listenAt(server, ipv6?.port ?? port, '127.0.0.1');
      return ipv6?.server;
    } catch (error) {
      ipv6?.server.close();
      const code = codeOf(error);
      // Without 127.0.0.1, `server` itself listens on ::1.
      if (ipv6 !== undefined && NO_ADDRESS.includes(code)) {
        await listenAt(server, ipv6.port, '::1');
        return undefined;
      }
      // A free port at ::1 may be in use at 127.0.0.1. Port 0 means that any other one will do.
      if (port !== 0 || code !== 'EADDRINUSE' || triesLeft === 0) throw error;
    }
  }
}

/** The code of an error of Node; empty for any other error. */
function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

/**
 * Listens on ::1, and passes the connections to another server.
 * @returns undefined if the machine does not have the address
 */
async function listenOnIPv6(target: Server, port: number) {
  // The options that the other server has for its own connections.
  const options = { allowHalfOpen: true, keepAlive: true, noDelay: true };
  const server = createServer(options, (socket) => target.emit('connection', socket));
  try {
    await listenAt(server, port, '::1');
  } catch (error) {
    if (NO_ADDRESS.includes(codeOf(error))) return undefined;
    throw error;
  }
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : port };
}

async function listenAt(server: Server, port: number, host: string): Promise<void> {
  await once(server.listen({ port, host, backlog: BACKLOG }), 'listening');
}
