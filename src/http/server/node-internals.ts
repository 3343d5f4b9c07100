import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/*
 * What is needed of `node:http` beyond its documented interface; docs/decisions/0013 says why.
 * Each of the three has been there, unchanged, from Node 20 to Node 26.
 */

/**
 * Calls back where `node:http` would end a connection: after a response that it takes for the last
 * one, be it that the response said so or that the client asked for it.
 */
export function onLastResponse(socket: Socket, callback: () => void): void {
  socket.destroySoon = callback;
}

/**
 * Lets `server.close()` leave connections alone. It would destroy those between two requests, and
 * with them responses that their clients have not received yet.
 */
export function keepIdleConnections(server: Server): void {
  server.closeIdleConnections = () => {};
}

/** The request and the response for bytes that `node:http` could not read as a request. */
export function unparsedRequest(
  socket: Socket,
  method: string,
  target: string,
): { message: IncomingMessage; output: ServerResponse } {
  const message = new IncomingMessage(socket);
  Object.assign(message, { method, url: target, httpVersionMajor: 1, httpVersionMinor: 1 });
  Object.assign(message, { httpVersion: '1.1', complete: true });
  const output = new ServerResponse(message);
  output.shouldKeepAlive = false;
  output.once('finish', () => {
    output.detachSocket(socket);
    output.emit('close');
    socket.destroySoon();
  });
  return { message, output };
}
