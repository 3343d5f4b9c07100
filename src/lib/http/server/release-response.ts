import { hasSubscribers } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';

/* The one undocumented behaviour of Node that the server uses. See docs/decisions/0011. */

/**
 * Tells `node:http` that a response is finished, which was written directly to the socket. It then
 * releases the request and gives the socket to the next response. Otherwise, each response would be
 * sent with `ServerResponse.end`, which costs a third more time.
 */
export function releaseResponse(output: ServerResponse): void {
  output.emit('finish');
}

const GET = Buffer.from('GET / HTTP/1.1\r\nHost: h\r\n\r\n');

let isSupported: boolean | undefined;

/** Whether this version of Node releases responses so. If not, they are sent with `end`. */
export function canReleaseResponses(): boolean {
  isSupported ??= tryRelease();
  return isSupported;
}

/** Tries it with two requests in memory, which takes about a millisecond. */
function tryRelease(): boolean {
  // A monitoring agent would report the two as real ones.
  if (hasSubscribers('http.server.request.start')) return false;
  const outputs: ServerResponse[] = [];
  const server = createServer((_, output) => outputs.push(output));
  // An agent may have replaced the method.
  server.emit = EventEmitter.prototype.emit;
  const socket = new Duplex({ read: () => {}, write: (_, __, done) => done() });
  server.emit('connection', socket);
  try {
    socket.emit('data', Buffer.concat([GET, GET]));
    const [first, second] = outputs;
    if (first !== undefined) releaseResponse(first);
    return first?.socket === null && Object.is(second?.socket, socket);
  } catch {
    return false;
  }
}
