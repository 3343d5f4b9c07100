import type { EventEmitter } from 'node:events';
import { type ByteString, part } from '../../../json/index.ts';
import type { Delivery, StreamWriter } from '../../core/response.ts';
import type { Exchange } from '../connection/exchange.ts';

/** Sends content that is made bit by bit: at once, or as a delivery has it. */
export class ContentWriter implements StreamWriter {
  readonly #exchange: Exchange;
  readonly #delivery: Delivery | undefined;
  /** What the delivery has not begun to send, and whether it is sending. */
  readonly #waiting: (ByteString | Buffer)[] = [];
  #isDelivering = false;
  #hasEnded = false;
  readonly #onDrain: (() => void)[] = [];

  constructor(exchange: Exchange, delivery: Delivery | undefined) {
    this.#exchange = exchange;
    this.#delivery = delivery;
    const { socket } = exchange.output;
    // The response itself is told nothing once CONNECT has come.
    socket?.on('drain', this.#drain);
    exchange.onEnd(() => socket?.off('drain', this.#drain));
    // The first bytes of the content may come much later.
    if (delivery !== undefined) exchange.output.flushHeaders();
  }

  get isDrained(): boolean {
    return !this.#isDelivering && !this.#exchange.output.socket?.writableNeedDrain;
  }

  write(content: ByteString | Buffer): void {
    if (this.#delivery === undefined) this.#writeNow(content);
    else this.#waiting.push(content);
    // Nobody waits for it: an event tells that it is done.
    if (this.#delivery !== undefined && !this.#isDelivering) void this.#deliver(this.#delivery);
    if (!this.isDrained) this.#exchange.connection.addBytes(content.length);
  }

  end(): void {
    this.#hasEnded = true;
    if (this.isDrained) this.#exchange.output.end();
    else if (!this.#isDelivering) this.disconnect();
  }

  disconnect(): void {
    this.#exchange.output.destroy();
  }

  on(event: 'drain' | 'close' | 'end', callback: () => void): void {
    const { output } = this.#exchange;
    const { socket } = output;
    const source: EventEmitter | null = event === 'end' ? socket : output;
    if (event === 'drain') this.#onDrain.push(callback);
    else source?.on(event, callback);
    if (event === 'end' && socket?.readableEnded) callback();
  }

  async #deliver({ next = (left) => left, isTruncated = false }: Delivery): Promise<void> {
    this.#isDelivering = true;
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      const end = isTruncated ? Math.floor(text.length / 2) : text.length;
      for (let at = 0; at < end; ) {
        this.#exchange.unsentBytes = end - at;
        const count = await next(end - at);
        if (this.#exchange.isGone) return;
        const to = at + count;
        const piece = typeof text === 'string' ? part(text, at, to) : text.subarray(at, to);
        // Until the system has taken it, or never, if the client has gone.
        await new Promise<void>((resolve) => this.#writeNow(piece, resolve));
        at = to;
      }
      this.#exchange.unsentBytes = 0;
      if (isTruncated) this.#exchange.connection.core.disconnect();
    }
    this.#isDelivering = false;
    if (this.#hasEnded) this.#exchange.output.end();
    else this.#drain();
  }

  /** `node:http` alone writes in a later tick, outside of the scheduler's time. */
  #writeNow(content: ByteString | Buffer, onTaken?: () => void): void {
    const { output } = this.#exchange;
    const { socket } = output;
    socket?.cork();
    output.write(content, 'latin1', onTaken);
    socket?.uncork();
    this.#exchange.contentBytes += content.length;
  }

  readonly #drain = (): void => {
    if (this.isDrained) for (const callback of this.#onDrain) callback();
  };
}
