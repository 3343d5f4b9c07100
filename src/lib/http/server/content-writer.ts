import { type ByteString, sliceBytes } from '../../json/index.ts';
import type { ContentParts, StreamWriter } from '../messages/response.ts';
import type { Exchange } from './exchange.ts';

/** Writes content that is not sent at once: long or streamed content, or the half before a cut. */
export class ContentWriter implements StreamWriter {
  readonly #exchange: Exchange;
  readonly #cut: Promise<void> | undefined;
  #isCut = false;

  /** @param cut as in {@link Response} */
  constructor(exchange: Exchange, cut: Promise<void> | undefined) {
    this.#exchange = exchange;
    this.#cut = cut;
  }

  get isDrained(): boolean {
    return !(this.#isCut || this.#exchange.connection.socket.writableNeedDrain);
  }

  /** @param onWritten called when the system has taken the content, or the client has gone */
  write(content: ByteString | Buffer, onWritten?: () => void): void {
    if (this.#isCut) return;
    if (this.#cut === undefined) this.#write(content, onWritten);
    else {
      this.#isCut = true;
      const end = Math.floor(content.length / 2);
      const half =
        typeof content === 'string' ? sliceBytes(content, 0, end) : content.subarray(0, end);
      this.#write(half, () => this.#waitForCut());
    }
  }

  /** Event: the system has taken the half. Frees the rest, because the connection may stay open. */
  async #waitForCut(): Promise<void> {
    const { ticket, connection } = this.#exchange;
    ticket.dropResult();
    // A client that ends its side has most probably gone.
    this.on('end', () => connection.disconnect());
    await this.#cut;
    connection.disconnect();
  }

  #write(content: ByteString | Buffer, onWritten?: () => void): void {
    const { output } = this.#exchange;
    const { socket } = this.#exchange.connection;
    this.#exchange.sentBytes += content.length;
    // Otherwise, `node:http` would write after this turn, and all of it would count as unread.
    socket.cork();
    output.write(content, 'latin1', onWritten);
    socket.uncork();
  }

  /** Writes long content. Makes each part when the previous one has been written. */
  async writeParts(parts: ContentParts): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => this.write(parts.part, resolve));
      if (parts.isLast) break;
      await this.#exchange.run(parts);
    }
    this.#exchange.output.end();
  }

  end(): void {
    if (this.isDrained) this.#exchange.output.end();
    else this.#exchange.connection.disconnect();
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
