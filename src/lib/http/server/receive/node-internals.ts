import { hasSubscribers } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { clock } from '../../../clock.ts';

/* Undocumented behaviour of Node that the server relies on. See docs/decisions/0013. */

/** The receiver of the content of a request. */
export interface ContentReader {
  addPiece(piece: Buffer): void;
  /** All content has arrived. */
  endContent(hasTrailers: boolean): void;
}

/** A request whose content goes straight from the parser to its reader, without a stream. */
export class IncomingRequest extends IncomingMessage {
  /** If true, `node:http` releases the request. */
  override readableEnded = false;
  #reader: ContentReader | undefined;

  /** Sets the reader before any content arrives. Without a reader, content is dropped. */
  sendContentTo(reader: ContentReader): void {
    this.#reader = reader;
    // Marks the request as read, so that `node:http` does not discard content after the response.
    this._read(0);
  }

  /** Called by the parser with each piece of content, and with null at its end. */
  override push(piece: Buffer | null): boolean {
    if (piece !== null) this.#reader?.addPiece(piece);
    else {
      this.readableEnded = true;
      this.#reader?.endContent(this.rawTrailers.length > 0);
    }
    return true;
  }
}

/** Makes `node:http` release a request and its response, and expect the next response. */
export function endOutput(output: ServerResponse): void {
  output.emit('finish');
}

/**
 * Calls back when bytes have been dropped. After a request that offers an upgrade, the parser
 * stops, and `node:http` drops the rest of the segment. Until the next header section is complete,
 * neither reports errors.
 * @returns false if this version of Node does not support it
 */
export function onDroppedBytes(socket: Socket, callback: () => void): boolean {
  const parser = parserOf(socket);
  const kOnExecute = Reflect.get(parser.constructor, 'kOnExecute');
  const onExecute = Reflect.get(parser, kOnExecute);
  const getBuffer = Reflect.get(parser, 'getCurrentBuffer');
  const isConsumed = Reflect.get(parser, '_consumed');
  if (!isConsumed || typeof onExecute !== 'function' || typeof getBuffer !== 'function')
    return false;
  // Called for each segment, after the parser has parsed it or stopped.
  Reflect.set(parser, kOnExecute, (parsed: number | Error) => {
    const isCut = typeof parsed === 'number' && parsed < getBuffer.call(parser).length;
    onExecute.call(parser, parsed);
    if (isCut) callback();
  });
  return true;
}

/** Stops parsing, even of the rest of this segment. @param onData receives later bytes */
export function stopParsing(socket: Duplex, onData: (bytes: Buffer) => void): void {
  // `node:http` would keep every request of the segment, of which there may be thousands.
  Reflect.set(parserOf(socket), 'onIncoming', () => 0);
  // With another listener for data, `node:http` parses nothing itself. A few clients that keep
  // sending would otherwise take most of the processor time.
  clock.nextTick(() => socket.removeAllListeners('data').on('data', onData));
}

/** The parser of `node:http`; an empty object if it has none. */
function parserOf(socket: Duplex): object {
  return Object(Reflect.get(socket, 'parser'));
}

const CHANNELS = ['request.start', 'response.created', 'response.finish'];

const POST = 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx';
const GET = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n';

/** Versions of Node in which the tests have called `checkNode`. It takes 3 ms of a start. */
const CHECKED = ['v20.20.2', 'v26.10.0'];

/** `checkNode`, unless the tests have called it in this version of Node. */
export function checkOtherNode(): void {
  if (!CHECKED.includes(process.version)) checkNode();
}

/**
 * Checks on a connection in memory that this version of Node behaves as this file expects. If it
 * did not, a POST would get 408, and memory would grow. @throws Error that names the difference
 */
export function checkNode(options = { IncomingMessage: IncomingRequest }): void {
  // Monitoring agents would report these requests as real ones.
  if (CHANNELS.some((name) => hasSubscribers(`http.server.${name}`))) return;
  const requests: [IncomingRequest, ServerResponse][] = [];
  let content = '';
  const server = createServer(options, (message, output) => {
    const endContent = () => {
      content += '.';
    };
    const addPiece = (piece: Buffer) => {
      content += piece.toString();
    };
    message.sendContentTo({ addPiece, endContent });
    requests.push([message, output]);
  });
  server.emit = EventEmitter.prototype.emit;
  const socket = new Duplex({ read: () => {}, write: (_, __, done) => done() });
  server.emit('connection', socket);
  const parser = parserOf(socket);
  const parse = (bytes: string) => Reflect.get(parser, 'execute')?.call(parser, Buffer.from(bytes));
  parse(POST + GET);
  if (content !== 'x..') throw unsupported('IncomingMessage.push');
  const [[, first] = [], [, second] = []] = requests;
  if (first === undefined || second?.socket !== null) throw unsupported('the order of responses');
  endOutput(first);
  if (first.socket !== null || Reflect.get(second, 'socket') !== socket)
    throw unsupported('finish');
  stopParsing(socket, () => {});
  parse(GET);
  if (requests.length > 2) throw unsupported('parser.onIncoming');
}

function unsupported(feature: string): Error {
  return new Error(`Node ${process.version} is not supported, because it changes ${feature}`);
}
