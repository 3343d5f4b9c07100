import type { ByteString } from '../../../json/index.ts';
import type { Delivery } from '../../core/response.ts';
import type { Exchange } from '../connection/exchange.ts';
import { writeNow } from './write-now.ts';

/** The content of a response that is sent slowly, or in part. */
export class DeliveredOutput {
  readonly #exchange: Exchange;
  readonly #delivery: Delivery;
  #goOn = () => {};

  constructor(exchange: Exchange, delivery: Delivery) {
    this.#exchange = exchange;
    this.#delivery = delivery;
    exchange.onEnd(() => this.#goOn());
  }

  /** Writes the whole content. */
  async writeAll(content: ByteString | Buffer): Promise<void> {
    await this.write(content);
    if (!this.#exchange.isGone) this.#exchange.output.end();
  }

  /** Writes some content, and waits until the system has taken it or the client has gone. */
  async write(content: ByteString | Buffer): Promise<void> {
    const { next = (bytesLeft: number) => bytesLeft, isTruncated = false } = this.#delivery;
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
    const end = isTruncated ? Math.floor(bytes.length / 2) : bytes.length;
    for (let at = 0; at < end; ) {
      const count = await next(end - at);
      if (this.#exchange.isGone) return;
      this.#exchange.setWorkBytes(end - at);
      await this.#writePiece(bytes.subarray(at, at + count));
      at += count;
    }
    if (isTruncated) this.#exchange.connection.disconnect();
  }

  #writePiece(piece: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#goOn = resolve;
      writeNow(this.#exchange, piece, resolve);
    });
  }
}
