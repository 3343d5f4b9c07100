import { hasSubscribers } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/* The ways in which the server goes beyond the documentation of `node:http` (decision 11). */

/** Receives the content of a request. */
export interface ContentReceiver {
  add(piece: Buffer): void;
  end(): void;
}

/**
 * A request whose content goes from the parser to its receiver, without a stream between. The parser
 * calls `push` with each piece of content, as the implementer of any readable stream does.
 */
export class DirectMessage extends IncomingMessage {
  receiver: ContentReceiver | undefined;

  override push(piece: Buffer | null): boolean {
    if (piece === null) this.receiver?.end();
    else this.receiver?.add(piece);
    return true;
  }

  /** Does nothing, because nothing is in the stream. */
  override resume(): this {
    return this;
  }

  static {
    // `node:http` lets go of a request that has ended. TypeScript declares it as a property, which an
    // accessor must not override.
    Object.defineProperty(DirectMessage.prototype, 'readableEnded', {
      get(this: DirectMessage): boolean {
        return this.complete;
      },
    });
  }
}

/** Sends the content of a request to a receiver, before any has arrived. */
export function receiveContent(message: IncomingMessage, receiver: ContentReceiver): void {
  if (message instanceof DirectMessage) message.receiver = receiver;
  else {
    message.on('data', (piece: Buffer) => receiver.add(piece));
    message.on('end', () => receiver.end());
  }
}

/**
 * Pauses a socket at its event `resume`. If it has been paused since the call of `resume`, `pause` does
 * nothing: it would emit `pause` a second time, which is when `node:http` stops reading.
 */
export function pauseAgain(socket: Socket): void {
  if (socket.isPaused()) socket.emit('pause');
  else socket.pause();
}

/**
 * Makes the end of a connection cheaper: `node:http` then makes an error for each request without a
 * response, and their stacks, which nobody sees, take most of the time that a flood takes.
 */
export function skipStacksAtClose(socket: Socket): void {
  let limit = Error.stackTraceLimit;
  socket.prependOnceListener('close', () => {
    limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  });
  // After the listener of `node:http`.
  socket.once('close', () => {
    Error.stackTraceLimit = limit;
  });
}

/**
 * Tells `node:http` that a response is finished, which was written directly to the socket. It then
 * releases the request and gives the socket to the next response.
 */
export function releaseResponse(output: ServerResponse): void {
  // `output` has no socket for CONNECT, for bytes that are not a request, and after a close.
  if (output.socket) output.emit('finish');
}

const REQUEST = 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}';

/** The diagnostics channels `http.server.*` that the trial would write to. */
const WATCHED = ['request.start', 'response.created', 'response.finish'];

/** The ways beyond the documentation that this version of Node supports. */
export interface NodeSupport {
  /** Whether {@link DirectMessage} works. Otherwise, content comes by the stream of the request. */
  readonly canReceive: boolean;
  /** Whether {@link releaseResponse} works. Otherwise, `node:http` sends all responses. */
  readonly canRelease: boolean;
}

/** Tries both ways with two requests in memory, which takes about a millisecond. */
export function tryNode(): NodeSupport {
  // A monitoring agent would report the two as real ones.
  if (WATCHED.some((channel) => hasSubscribers(`http.server.${channel}`))) return UNSUPPORTED;
  const outputs: ServerResponse[] = [];
  let received = '';
  const receiver = {
    add: (piece: Buffer) => {
      received += piece.toString('latin1');
    },
    end: () => {
      received += '.';
    },
  };
  const server = createServer({ IncomingMessage: DirectMessage }, (message, output) => {
    outputs.push(output);
    receiveContent(message, receiver);
  });
  // An agent may have replaced the method.
  server.emit = EventEmitter.prototype.emit;
  const socket = new Duplex({ read: () => {}, write: (_, __, done) => done() });
  server.emit('connection', socket);
  try {
    socket.emit('data', Buffer.from(REQUEST + REQUEST));
    const [first, second] = outputs;
    if (first !== undefined) releaseResponse(first);
    const canRelease = first?.socket === null && Object.is(second?.socket, socket);
    return { canReceive: received === '{}.{}.', canRelease };
  } catch {
    return UNSUPPORTED;
  }
}

const UNSUPPORTED: NodeSupport = { canReceive: false, canRelease: false };
