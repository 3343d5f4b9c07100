import type { Socket } from 'node:net';
import { clock } from '../../../clock.ts';

const CHECK_MS = 50;

/**
 * Ends this side and waits a little for the client to end its own (RFC 9112, section 9.6). Closing
 * while the client still sends would reset the connection, and the reset can overtake the response.
 * And if a container's network ends with this process, everything the client has not received by
 * then is lost, however long ago it was written.
 * @param maxMs how long to wait at most, in milliseconds
 * @param maxBytes how much the client may still send, in bytes
 */
export function endGracefully(socket: Socket, maxMs: number, maxBytes: number): void {
  const start = socket.bytesRead;
  const deadline = clock.now() + maxMs;
  socket.resume();
  socket.end();
  const timer = clock.setInterval(() => {
    if (socket.bytesRead - start > maxBytes || clock.now() > deadline) socket.destroy();
  }, CHECK_MS);
  socket.once('close', () => clock.clear(timer));
}
