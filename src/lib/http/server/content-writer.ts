import { type ByteString, part } from '../../json/index.ts';
import type { ContentParts, StreamWriter } from '../core/response.ts';
import type { Exchange } from './connection/exchange.ts';

const LAST_CHUNK = '0\r\n\r\n';

/** Writes content that is not sent at once: long or streamed content, or the half before a cut. */
export class ContentWriter implements StreamWriter {
  readonly #exchange: Exchange;
  readonly #isChunked: boolean;
  readonly #isTruncated: boolean;
  #isCut = false;

  /** @param isTruncated closes the connection after half of the first write */
  constructor(exchange: Exchange, isChunked: boolean, isTruncated: boolean) {
    this.#exchange = exchange;
    this.#isChunked = isChunked;
    this.#isTruncated = isTruncated;
  }

  get isDrained(): boolean {
    return !(this.#isCut || this.#exchange.connection.socket.writableNeedDrain);
  }

  /** @param onWritten called when the system has taken the content, or the client has gone */
  write(content: ByteString | Buffer, onWritten?: () => void): void {
    if (this.#isCut) return;
    if (!this.#isTruncated) this.#write(content, onWritten);
    else {
      this.#isCut = true;
      const end = Math.floor(content.length / 2);
      const half = typeof content === 'string' ? part(content, 0, end) : content.subarray(0, end);
      this.#write(half, () => this.disconnect());
    }
  }

  #write(content: ByteString | Buffer, onWritten?: () => void): void {
    const { connection } = this.#exchange;
    const { socket } = connection;
    // A chunk without content would be the last one.
    const isChunk = this.#isChunked && content.length > 0;
    socket.cork();
    if (isChunk) socket.write(`${content.length.toString(16)}\r\n`, 'latin1');
    socket.write(content, 'latin1');
    socket.write(isChunk ? '\r\n' : '', 'latin1', onWritten);
    socket.uncork();
    this.#exchange.sentBytes += content.length;
    if (socket.writableLength > 0) connection.context.clients.add(content.length);
  }

  /** Writes long content. Makes each part when the previous one has been written. */
  async writeParts(parts: ContentParts): Promise<void> {
    this.#exchange.work = parts;
    for (;;) {
      await new Promise<void>((resolve) => this.write(parts.part, resolve));
      if (parts.isLast) break;
      const result = this.#exchange.run(parts);
      if (result instanceof Promise) await result;
    }
    this.end();
  }

  end(): void {
    const { socket, onSent } = this.#exchange.connection;
    if (this.isDrained) socket.write(this.#isChunked ? LAST_CHUNK : '', 'latin1', onSent);
    else this.disconnect();
  }

  disconnect(): void {
    this.#exchange.connection.core.disconnect();
  }

  on(event: 'drain' | 'close' | 'end', callback: () => void): void {
    const { socket } = this.#exchange.connection;
    if (event === 'close') this.#exchange.onEnd(callback);
    else if (event === 'end' && socket.readableEnded) callback();
    else {
      socket.on(event, callback);
      this.#exchange.onEnd(() => socket.off(event, callback));
    }
  }
}
