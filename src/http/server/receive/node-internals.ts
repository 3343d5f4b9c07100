import { executionAsyncResource } from 'node:async_hooks';
import { type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
import { hasContent, IncomingRequest } from './incoming-request.ts';
import type { ParserError, UnparsedHead } from './parser-error.ts';

/*
 * What the server needs of Node beyond its documented interface; docs/decisions/0013 says why. All
 * of it has been unchanged from Node 20 to Node 26.
 */

/**
 * Calls back instead of letting `node:http` close a connection after the response that it takes for
 * the last one, because response or client said so.
 */
export function onLastResponse(socket: Socket, callback: () => void): void {
  socket.destroySoon = callback;
}

/** What `hookParser` calls. */
export interface ParserHooks {
  /** Whether a request is served. If not, its content is not parsed, and the parser stops. */
  readonly accepts: (message: IncomingRequest) => boolean;
  /** Whether the parser is to stop after a request, which has begun and has no content. */
  readonly stopsAfter: () => boolean;
  /** Called after each segment with how many bytes of it were parsed, or the parser's error. */
  readonly onSegment: (parsed: number | ParserError) => void;
}

/** The parser of a connection, as far as it is used here. */
interface Parser {
  /** Parses bytes. */
  execute(bytes: Buffer): number | ParserError;
  /** A copy of the segment that is being parsed. */
  getCurrentBuffer(): Buffer;
  /** Called with each request. */
  onIncoming: (message: IncomingRequest, persists: boolean) => number;
  /** Called after each segment. */
  [ON_EXECUTE]: (parsed: number | ParserError) => void;
}

/** `HTTPParser.kOnExecute`. */
const ON_EXECUTE = 5;

/** Tells the parser that no content follows, and that it must stop after this request. */
const STOP = 2;

/** Lets the parser of a connection be stopped between two requests. */
export function hookParser(socket: Socket, hooks: ParserHooks): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  const { onIncoming, [ON_EXECUTE]: onExecute } = parser;
  parser.onIncoming = (message, persists) => {
    if (!hooks.accepts(message)) {
      // Otherwise `node:http` would destroy the connection after CONNECT.
      Object.assign(message, { upgrade: false });
      return STOP;
    }
    const result = onIncoming(message, persists);
    return result === 0 && hooks.stopsAfter() && !hasContent(message.headers) ? STOP : result;
  };
  parser[ON_EXECUTE] = (parsed) => {
    onExecute(parsed);
    hooks.onSegment(parsed);
  };
}

/** A copy of the segment that is being parsed, if the connection still has its parser. */
export function currentSegment(socket: Socket): Buffer | undefined {
  return parserOf(socket)?.getCurrentBuffer();
}

/**
 * Gives bytes to the parser of a connection.
 * @returns how many it has parsed, or its error; undefined if it is gone
 */
export function parse(socket: Socket, bytes: Buffer): number | ParserError | undefined {
  return parserOf(socket)?.execute(bytes);
}

function parserOf(socket: Socket & { readonly parser?: Parser | null }): Parser | undefined {
  return socket.parser ?? undefined;
}

/**
 * Makes `server.close()` leave connections alone. It would destroy those between two requests, and
 * with them responses that clients have not received yet.
 */
export function keepIdleConnections(server: Server): void {
  server.closeIdleConnections = () => {};
}

/** The object that Node made for one tick. */
const keptTick = new Set<object>();

/**
 * Keeps one of the objects that `process.nextTick` makes. Otherwise V8 forgets their hidden class
 * when it tidies the heap of an idle process, and then makes each of them property by property for
 * ever: a microsecond more for each request.
 */
export function keepTickClass(): void {
  clock.nextTick(() => keptTick.add(executionAsyncResource()));
}

/** Makes a request and a response for bytes that `node:http` could not parse. */
export function unparsedRequest(
  socket: Socket,
  { method, target, headers }: UnparsedHead = { method: '', target: '', headers: {} },
): { message: IncomingRequest; output: ServerResponse } {
  const message = new IncomingRequest(socket);
  Object.assign(message, { method, url: target, headers, complete: true });
  Object.assign(message, { httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 });
  const output = new ServerResponse(message);
  output.shouldKeepAlive = false;
  output.once('finish', () => {
    output.detachSocket(socket);
    output.emit('close');
    socket.destroySoon();
  });
  return { message, output };
}

/**
 * Gives a response its head as a text, because `writeHead` takes a tenth of a GET to check and join
 * the fields. Only for content that is framed by its length, and a connection that persists:
 * `node:http` would learn of anything else from the fields.
 * @param head to the byte what `writeHead` would make
 * @returns whether this `node:http` takes it; otherwise nothing has changed
 */
export function setHead(output: ServerResponse, status: number, head: string): boolean {
  if (!takesHead(output)) return false;
  output.statusCode = status;
  output._header = head;
  return true;
}

/** Whether a response has a place for its head, and none in it. */
function takesHead(output: ServerResponse): output is ServerResponse & { _header: string | null } {
  return '_header' in output && output._header === null;
}
