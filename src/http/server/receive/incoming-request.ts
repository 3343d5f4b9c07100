import { type IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { clock } from '../../../clock.ts';
import { MAX_CONTENT_BYTES } from '../../request/content.ts';
import { GrowingBuffer } from './growing-buffer.ts';

/** Takes the content of a request. */
export interface ContentReader {
  /** Takes the next piece. */
  take(piece: Buffer): void;
  /** The content is complete. */
  end(): void;
}

/** Whether content follows the header section (RFC 9112, section 6.3). */
export function hasContent(headers: IncomingHttpHeaders): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  return coding !== undefined || (length !== undefined && Number(length) !== 0);
}

/** Ignores the content. */
export const NO_READER: ContentReader = { take() {}, end() {} };

/**
 * A request whose content goes straight from the parser to its reader, so that what waits can be
 * counted. As a stream, it would also take a buffer and several ticks on the way. The end comes in
 * the next tick, when the parser has seen everything that arrived with it.
 */
export class IncomingRequest extends IncomingMessage {
  /** Told the length of each piece of content, in bytes. */
  onContent: ((bytes: number) => void) | undefined;
  /** Told how many more or, if negative, fewer bytes of content wait for a reader. */
  onWaiting: ((bytes: number) => void) | undefined;
  #waiting: GrowingBuffer | undefined;
  #reader: ContentReader | undefined;
  #isEnded = false;

  /**
   * Called by the parser with each piece of content, and with null at its end.
   * @returns whether to go on reading from the socket
   */
  override push(piece: Buffer | null): boolean {
    if (piece === null) {
      this.#isEnded = true;
      if (this.#reader !== undefined) clock.nextTick(end, this.#reader);
      return true;
    }
    this.onContent?.(piece.length);
    if (this.#reader !== undefined) this.#reader.take(piece);
    else this.#wait(piece);
    return true;
  }

  /**
   * Gives the content to a reader: what waits now, the rest as it arrives. A later reader takes
   * over from an earlier one.
   */
  sendContentTo(reader: ContentReader): void {
    this.#reader = reader;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) {
      this.onWaiting?.(-waiting.bytes);
      reader.take(waiting.content);
    }
    // Now `node:http` knows that somebody reads it, and does not discard it after the response.
    this._read(0);
    if (this.#isEnded) end(reader);
  }

  /** Once there is too much for any request, the rest does not matter. */
  #wait(piece: Buffer): void {
    this.#waiting ??= new GrowingBuffer();
    if (this.#waiting.length > MAX_CONTENT_BYTES) return;
    const before = this.#waiting.bytes;
    this.#waiting.add(piece);
    this.onWaiting?.(this.#waiting.bytes - before);
  }

  static {
    // `node:http` lets go of a request that has ended. TypeScript knows this as a property, which
    // it does not let an accessor override.
    Object.defineProperty(IncomingRequest.prototype, 'readableEnded', {
      get(this: IncomingRequest): boolean {
        return this.#isEnded;
      },
    });
  }
}

function end(reader: ContentReader): void {
  reader.end();
}
