import { hasSubscribers } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { releaseResponse } from './sender.ts';

const GET = Buffer.from('GET / HTTP/1.1\r\nHost: h\r\n\r\n');

/** The diagnostics channels `http.server.*` that the trial would write to. */
const WATCHED = ['request.start', 'response.created', 'response.finish'];

/**
 * Whether this version of Node releases responses as {@link releaseResponse} expects. Tries it with
 * two requests in memory, which takes about a millisecond.
 */
export function canReleaseResponses(): boolean {
  // A monitoring agent would report the two as real ones.
  if (WATCHED.some((channel) => hasSubscribers(`http.server.${channel}`))) return false;
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
