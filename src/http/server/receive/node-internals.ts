import { executionAsyncResource } from 'node:async_hooks';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
import type { ParserError, UnparsedHead } from './parser-error.ts';

/*
 * All that the server needs of Node beyond its documented interface; docs/decisions/0013 says why.
 * Each hook finds out whether it works in this Node. If it does not, it is named below, and what
 * depends on it is done another way or not at all: a bound is then stricter, never open.
 */

/** The hooks that do not work in this Node, as found out so far. */
export const missingHooks = new Set<string>();

/** The parser of a connection, as far as it is used here. */
interface Parser {
  /** Parses bytes. */
  execute?(bytes: Buffer): number | ParserError;
  /** A copy of the segment that is being parsed. */
  getCurrentBuffer?(): Buffer;
  /** Called with each request. */
  onIncoming?: (message: IncomingRequest, persists: boolean) => number;
  /** Called after each segment, at an index that Node's documentation does not tell. */
  [index: number]: ((parsed: number | ParserError) => void) | null | undefined;
}

/** What `hookParser` calls. */
export interface ParserHooks {
  /** Whether a request is served. If not, its content is not parsed, and the parser stops. */
  readonly accepts: (message: IncomingRequest) => boolean;
  /** Whether the parser is to stop after a request, which has begun and has no content. */
  readonly stopsAfter: (message: IncomingRequest) => boolean;
  /** Called after each segment with how many bytes of it were parsed, or the parser's error. */
  readonly onSegment: (parsed: number | ParserError) => void;
}

/** Tells the parser that no content follows, and that it must stop after this request. */
const STOP = 2;

const PARSER = 'the parser of a connection';

/**
 * Lets the parser of a connection be stopped between two requests.
 * @returns whether this Node has what that takes; whether it works, the caller sees
 */
export function hookParser(socket: Socket, hooks: ParserHooks): boolean {
  const parser = parserOf(socket);
  const index = parser ? indexOfExecute(parser) : -1;
  const { onIncoming, [index]: onExecute } = parser ?? {};
  const isComplete = parser?.execute && parser.getCurrentBuffer && onIncoming && onExecute;
  if (!isComplete || missingHooks.has(PARSER)) {
    loseParsers();
    return false;
  }
  parser.onIncoming = (message, persists) => {
    if (!hooks.accepts(message)) {
      // Otherwise `node:http` would destroy the connection after CONNECT.
      Object.assign(message, { upgrade: false });
      return STOP;
    }
    const result = onIncoming(message, persists);
    const mayStop = result === 0 && message.reader === undefined;
    return mayStop && hooks.stopsAfter(message) ? STOP : result;
  };
  parser[index] = (parsed) => {
    onExecute(parsed);
    hooks.onSegment(parsed);
  };
  return true;
}

/** Hooks no more parsers, because a hook was not called when it had to be. */
export function loseParsers(): void {
  missingHooks.add(PARSER);
}

/** The index of the function that `node:http` has put there for the end of each segment. */
function indexOfExecute(parser: Parser): number {
  return Object.keys(parser)
    .map(Number)
    .findIndex((index) => parser[index]?.name.endsWith('onParserExecute'));
}

/** A copy of the segment that is being parsed, if the connection still has its parser. */
export function currentSegment(socket: Socket): Buffer | undefined {
  return parserOf(socket)?.getCurrentBuffer?.();
}

/**
 * Gives bytes to the parser of a connection.
 * @returns how many it has parsed, or its error; undefined if it is gone
 */
export function parse(socket: Socket, bytes: Buffer): number | ParserError | undefined {
  return parserOf(socket)?.execute?.(bytes);
}

function parserOf(socket: Socket & { readonly parser?: Parser | null }): Parser | undefined {
  return socket.parser ?? undefined;
}

/**
 * Stops reading from a socket. `node:http` may have resumed one that was paused in the same tick:
 * then it reads although it is paused, until it is told so once more.
 */
export function stopReading(socket: Socket): void {
  if (socket.isPaused()) socket.emit('pause');
  else socket.pause();
}

/** Takes the content of a request. */
export interface ContentReader {
  /** Takes the next piece. */
  take(piece: Buffer): void;
  /** The content is complete. */
  end(): void;
}

/** Whether the parser gives content to `push`; undefined until there is some. */
let isPushed: boolean | undefined;

/**
 * A request whose content goes straight from the parser to its reader, so that what waits can be
 * counted. As a stream, it would also take a buffer and several ticks on the way. The end comes in
 * the next tick, when the parser has seen everything that arrived with it.
 */
export class IncomingRequest extends IncomingMessage {
  #reader: ContentReader | undefined;
  #hasEnded = false;

  /** What takes its content: there by the time the request begins, if it has content. */
  get reader(): ContentReader | undefined {
    return this.#reader;
  }

  set reader(reader: ContentReader) {
    this.#reader = reader;
    // Now `node:http` knows that somebody reads it, and does not discard it after the response.
    this._read(0);
    if (!isPushed) this.#readStream(reader);
  }

  /**
   * Called by the parser with each piece of content, and with null at its end.
   * @returns whether to go on reading from the socket
   */
  override push(piece: Buffer | null): boolean {
    if (piece === null) {
      this.#hasEnded = true;
      if (this.#reader !== undefined) clock.nextTick(end, this.#reader);
    } else {
      isPushed = true;
      this.#reader?.take(piece);
    }
    return true;
  }

  /** Where the parser does not call `push` above, the content is in the stream. */
  #readStream(reader: ContentReader): void {
    this.on('data', (piece) => {
      missingHooks.add('the content of a request');
      reader.take(piece);
    });
    this.once('end', () => reader.end());
  }

  static {
    // `node:http` lets go of a request that has ended. TypeScript knows this as a property, which
    // it does not let an accessor override.
    Object.defineProperty(IncomingRequest.prototype, 'readableEnded', {
      get(this: IncomingRequest): boolean {
        return this.#hasEnded;
      },
    });
  }
}

function end(reader: ContentReader): void {
  reader.end();
}

/**
 * Calls back instead of letting `node:http` close a connection after the response that it takes for
 * the last one, because response or client said so.
 */
export function onLastResponse(socket: Socket, callback: () => void): void {
  if (!Reflect.set(socket, 'destroySoon', callback)) missingHooks.add('the end of a connection');
}

/**
 * Makes a request and a response for bytes that `node:http` could not parse.
 * @returns undefined if this Node cannot
 */
export function unparsedRequest(
  socket: Socket,
  { method, target, headers }: UnparsedHead = { method: '', target: '', headers: {} },
): { message: IncomingRequest; output: ServerResponse } | undefined {
  const message = new IncomingRequest(socket);
  Object.assign(message, { method, url: target, headers, complete: true });
  Object.assign(message, { httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 });
  const output = attempt(() => new ServerResponse(message));
  output?.once('finish', () => {
    output.detachSocket(socket);
    output.emit('close');
  });
  return output && { message, output };
}

/**
 * Gives a response its socket, unless `node:http` has done so.
 * @returns whether it has one
 */
export function assignSocket(output: ServerResponse, socket: Socket): boolean {
  if (output.socket === null) attempt(() => output.assignSocket(socket));
  return output.socket !== null;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    missingHooks.add('the response to what is not a request');
    return undefined;
  }
}

/**
 * Gives a response its head as a text, because `writeHead` takes a tenth of a GET to check and join
 * the fields. Only for content that is framed by its length, and a connection that persists:
 * `node:http` would learn of anything else from the fields.
 * @param head to the byte what `writeHead` would make
 * @returns whether this `node:http` takes it; otherwise nothing has changed
 */
export function setHead(output: ServerResponse, status: number, head: string): boolean {
  if (output.headersSent) return false;
  if (hasHead(output)) output._header = head;
  if (output.headersSent) output.statusCode = status;
  else missingHooks.add('the head of a response');
  return output.headersSent;
}

function hasHead(output: ServerResponse): output is ServerResponse & { _header: string } {
  return '_header' in output;
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
