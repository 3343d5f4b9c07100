import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
import { hasContent } from '../../request/header-section.ts';
import type { IncomingContent } from '../machine/turn.ts';

/* What the server needs of Node beyond its documented interface; docs/decisions/0013 says why. */

/** Calls back, and does not close, after what `node:http` takes for the last response. */
export function onLastResponse(socket: Socket, callback: () => void): void {
  socket.destroySoon = callback;
}

/** A request whose content goes straight from the parser to its reader, without a stream. */
export class IncomingRequest extends IncomingMessage {
  /** `node:http` lets go of a request that has ended. */
  override readableEnded = false;
  #reader: IncomingContent | undefined;

  /** Gives the content to a reader, before any has arrived. Without one, it is dropped. */
  sendContentTo(reader: IncomingContent): void {
    this.#reader = reader;
    // Now `node:http` knows that somebody reads it, and does not discard it after the response.
    this._read(0);
  }

  /** Called by the parser with each piece of content, and with null at its end. */
  override push(piece: Buffer | null): boolean {
    const reader = this.#reader;
    if (piece !== null) reader?.addPiece(piece);
    else {
      this.readableEnded = true;
      if (reader !== undefined) {
        reader.hasArrived = true;
        clock.nextTick(completeContent, reader);
      }
    }
    return true;
  }
}

function completeContent(reader: IncomingContent): void {
  reader.complete();
}

/**
 * Gives a response its head as a text, if this Node takes it: `writeHead` takes a tenth of a GET.
 * Only for content of a known length, and a connection that persists: `node:http` learns others
 * from the fields.
 */
export function setHead(output: ServerResponse, status: number, head: string): boolean {
  if (!takesHead(output)) return false;
  // For monitoring agents, which read both.
  output.statusCode = status;
  output.statusMessage = STATUS_CODES[status] ?? 'unknown';
  output._header = head;
  return true;
}

/** Whether a response has a place for its head, and the place is empty. */
function takesHead(output: ServerResponse): output is ServerResponse & { _header: string | null } {
  return '_header' in output && output._header === null;
}

/** Checks at the start what no request could show unharmed: whether `setHead` does its work. */
export function checkInternals(
  newOutput = () => new ServerResponse(new IncomingMessage(new Socket())),
): boolean {
  const written = newOutput();
  const set = newOutput();
  if (!takesHead(written) || !takesHead(set)) return false;
  written.writeHead(200, ['Content-Length', '0']);
  const head = String(written._header);
  set._header = head;
  const isText = head.startsWith('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n');
  return isText && head.endsWith('\r\n\r\n') && set.headersSent;
}

/** What is called of a parser of `node:http`, whose class has these numbers. */
interface NodeParser {
  readonly constructor: Readonly<Record<'kOnExecute' | 'kOnMessageBegin' | 'REQUEST', number>>;
  readonly _consumed: boolean;
  [callback: number]: unknown;
  onIncoming: unknown;
  execute(bytes: Buffer): number | Error;
  getCurrentBuffer(): Buffer;
  remove(): void;
  initialize(type: number, resource: object, maxHeadBytes: number, lenience: 0, list: object): void;
}

const METHODS = ['execute', 'getCurrentBuffer', 'remove', 'initialize'];
const NUMBERS = ['kOnExecute', 'kOnMessageBegin', 'REQUEST'];

/** The key under which a server of `node:http` has the list of its parsers. */
const LIST = 'http.server.connections';

const NO_BYTES = Buffer.alloc(0);

/** A request without any fields. */
export const REQUEST = Buffer.from('GET / HTTP/1.1\r\n\r\n');

/** The parser of a connection. Where this Node has none like it, nothing below does anything. */
export class SocketParser {
  readonly #socket: Socket;
  /** The longest header section, with its target, in bytes. */
  readonly maxHeadBytes: number;
  readonly #parser: NodeParser | undefined;
  /** How much had been read with the beginning of the header section that is arriving, in bytes. */
  begunAt: number | undefined;
  /** The last request that offers an upgrade, until it has been parsed. */
  #upgrade: IncomingMessage | undefined;
  /** The parsers of the server, which `node:http` looks through for those that take too long. */
  readonly #list: object | undefined;
  /** What `node:http` does when all that can be parsed of a segment has been. */
  readonly #onExecute: (parsed: number | Error) => void = () => {};
  #isWatching = false;
  #isStopped = false;

  constructor(socket: Socket, maxHeadBytes: number) {
    this.#socket = socket;
    this.maxHeadBytes = maxHeadBytes;
    const parser: unknown = 'parser' in socket ? socket.parser : undefined;
    if (!isNodeParser(parser)) return;
    this.#parser = parser;
    this.#list = listOf(socket);
    const onExecute = parser[parser.constructor.kOnExecute];
    if (typeof onExecute === 'function') {
      this.#onExecute = (parsed) => onExecute.call(parser, parsed);
    }
    parser[parser.constructor.kOnMessageBegin] = () => {
      this.begunAt = socket.bytesRead;
      // It stops only behind a request whose `Connection` has the upgrade, too.
      this.#upgrade = undefined;
    };
  }

  /** Whether all of the header section that is arriving has come in the last segment. */
  get hasBegunInSegment(): boolean {
    return this.begunAt === this.#socket.bytesRead;
  }

  /**
   * Parses what comes behind a request that offers an upgrade as other requests. (The parser stops
   * there, `node:http` drops the rest of the segment, and neither reports errors until the end of
   * the next header section.) Called with its header section. @returns whether this Node can do it
   */
  parseBehind(upgrade: IncomingMessage): boolean {
    const parser = this.#parser;
    if (!parser?._consumed || this.#list === undefined) return false;
    this.#upgrade = upgrade;
    if (!this.#isWatching) this.#watch(parser);
    return true;
  }

  #watch(parser: NodeParser): void {
    this.#isWatching = true;
    this.#socket.once('end', () => {
      const isCut = this.#upgrade && hasContent(this.#upgrade.headers) && !this.#upgrade.complete;
      if (isCut) this.#report(NO_BYTES, 'its content is too short');
    });
    // Called with each segment, when all that can be parsed of it has been.
    parser[parser.constructor.kOnExecute] = (parsed: number | Error) => {
      const segment = this.#upgrade && parser.getCurrentBuffer();
      this.#onExecute(parsed);
      if (segment !== undefined && typeof parsed === 'number') this.#goOn(segment, parsed);
    };
  }

  /** Goes on behind a request that offered an upgrade, if it has been parsed as a whole. */
  #goOn(segment: Buffer, parsed: number): void {
    if (this.#upgrade?.complete) {
      this.#upgrade = undefined;
      this.restart(segment.subarray(parsed));
    } else if (parsed < segment.length) this.#report(segment, 'its content is malformed');
  }

  /**
   * Restarts after a request, also after one with a trailer field that says that it is the
   * last: a trailer field has no effect (RFC 9110, 6.5.1). @returns whether this Node can do it
   */
  restart(rest: Buffer): boolean {
    const parser = this.#parser;
    const list = this.#list;
    if (parser === undefined || list === undefined) return false;
    const { onIncoming } = parser;
    // Its place in the list depends on what is about to change.
    parser.remove();
    parser.initialize(parser.constructor.REQUEST, {}, this.maxHeadBytes, 0, list);
    // As after a request: a connection that has had none yet gets less time for the next one.
    parser.onIncoming = () => 0;
    parser.execute(REQUEST);
    parser.onIncoming = onIncoming;
    this.begunAt = undefined;
    if (rest.length > 0) this.#parseLater(rest);
    return true;
  }

  /** Drops what comes, also in the segment being parsed: `node:http` would keep each request. */
  stop(): void {
    this.#isStopped = true;
    const socket = this.#socket;
    if (this.#parser !== undefined) this.#parser.onIncoming = () => 0;
    // It parses nothing itself once others listen for data.
    clock.nextTick(() => socket.removeAllListeners('data').on('data', () => {}));
  }

  /** Parses bytes that `node:http` takes for parsed: when they would have been read. */
  #parseLater(bytes: Buffer): void {
    const parse = () => clock.nextTick(() => this.#parse(bytes));
    if (this.#socket.isPaused()) this.#socket.once('resume', parse);
    else parse();
  }

  #parse(bytes: Buffer): void {
    const socket = this.#socket;
    const parser = this.#parser;
    if (this.#isStopped || socket.destroyed) return;
    // It is another connection's once this one has no use for it.
    if (parser === undefined || !('parser' in socket) || socket.parser !== parser) return;
    if (socket.isPaused()) {
      this.#parseLater(bytes);
      return;
    }
    const parsed = parser.execute(bytes);
    if (parsed instanceof Error) this.#emit(Object.assign(parsed, { rawPacket: bytes }));
    else {
      this.#onExecute(parsed);
      if (this.#upgrade !== undefined) this.#goOn(bytes, parsed);
    }
  }

  #report(rawPacket: Buffer, reason: string): void {
    this.#emit(Object.assign(new Error(reason), { code: 'HPE_INVALID_CONTENT', rawPacket }));
  }

  #emit(error: Error): void {
    serverOf(this.#socket)?.emit('clientError', error, this.#socket);
  }
}

/** Stops reading. A socket that `node:http` resumed in this tick may read although it is paused. */
export function stopReading(socket: Socket): void {
  if (socket.isPaused()) socket.emit('pause');
  else socket.pause();
}

function isNodeParser(parser: unknown): parser is NodeParser {
  if (!(parser instanceof Object)) return false;
  return (
    METHODS.every((name) => typeof Reflect.get(parser, name) === 'function') &&
    NUMBERS.every((name) => typeof Reflect.get(parser.constructor, name) === 'number')
  );
}

function serverOf(socket: Socket) {
  return 'server' in socket && socket.server instanceof EventEmitter ? socket.server : undefined;
}

function listOf(socket: Socket): object | undefined {
  const server = serverOf(socket);
  if (server === undefined) return undefined;
  const key = Object.getOwnPropertySymbols(server).find(({ description }) => description === LIST);
  const list: unknown = key && Reflect.get(server, key);
  return list instanceof Object ? list : undefined;
}
