import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
import type { IncomingContent } from '../machine/pending-exchange.ts';

/* Undocumented behaviour of Node that the server relies on. See docs/decisions/0013. */

/** Calls back when `node:http` would close a connection, because its last response was sent. */
export function onLastResponse(socket: Socket, callback: () => void): void {
  socket.destroySoon = callback;
}

/** A request whose content goes straight from the parser to its reader, without a stream. */
export class IncomingRequest extends IncomingMessage {
  /** If true, `node:http` releases the request. */
  override readableEnded = false;
  #reader: IncomingContent | undefined;

  /** Sets the reader before any content arrives. Without a reader, content is dropped. */
  sendContentTo(reader: IncomingContent): void {
    this.#reader = reader;
    // Marks the request as read, so that `node:http` does not discard content after the response.
    this._read(0);
  }

  /** Called by the parser with each piece of content, and with null at its end. */
  override push(piece: Buffer | null): boolean {
    const reader = this.#reader;
    if (piece !== null) reader?.addPiece(piece);
    else {
      this.readableEnded = true;
      if (reader !== undefined) {
        reader.end();
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
 * Sets the head of a response as a string, because `writeHead` takes a tenth of the time of a GET.
 * Only for content of a known length on a connection that persists. `node:http` has to read the
 * fields of any other response. @returns false if this Node does not support it
 */
export function setHead(output: ServerResponse, status: number, head: string): boolean {
  if (!SETS_HEADS || !takesHead(output)) return false;
  // Set because monitoring agents read both.
  output.statusCode = status;
  output.statusMessage = STATUS_CODES[status] ?? 'unknown';
  output._header = head;
  return true;
}

/** Whether a response stores its head in `_header`, and has none yet. */
function takesHead(output: ServerResponse): output is ServerResponse & { _header: string | null } {
  return '_header' in output && output._header === null;
}

/** Whether this version of Node keeps heads as `setHead` expects. Otherwise responses take longer. */
export function keepsHeads(
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

const SETS_HEADS = keepsHeads();

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
export function stopParsing(socket: Socket, onData: (bytes: Buffer) => void): void {
  // `node:http` would keep every request of the segment, of which there may be thousands.
  Reflect.set(parserOf(socket), 'onIncoming', () => 0);
  // With another listener for data, `node:http` parses nothing itself. A few clients that keep
  // sending would otherwise take most of the processor time.
  clock.nextTick(() => socket.removeAllListeners('data').on('data', onData));
}

/** The parser of `node:http`; an empty object if it has none. */
function parserOf(socket: Socket): object {
  return Object(Reflect.get(socket, 'parser'));
}
