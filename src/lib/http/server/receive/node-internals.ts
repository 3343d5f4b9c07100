import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
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
  output.statusCode = status;
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
