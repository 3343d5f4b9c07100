import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ByteString } from '../../../json/index.ts';
import type { Delivery, StreamWriter } from '../../core/response.ts';
import type { Exchange } from '../connection/exchange.ts';

/**
 * Writes content at once: `node:http` alone does so in a later tick, outside of the scheduler's
 * time.
 * @param onTaken called when the system has taken it, or the client has gone
 */
export function writeNow(exchange: Exchange, chunk: ByteString | Buffer, onTaken?: () => void) {
  const { socket } = exchange.output;
  socket?.cork();
  exchange.output.write(chunk, 'latin1', onTaken);
  socket?.uncork();
  exchange.contentBytes += chunk.length;
}

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
    if (isTruncated) this.#exchange.connection.core.disconnect();
  }

  #writePiece(piece: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#goOn = resolve;
      writeNow(this.#exchange, piece, resolve);
    });
  }
}

/** The receiver of live content, which sends it at once. */
export class ResponseWriter implements StreamWriter {
  readonly #exchange: Exchange;
  readonly #output: ServerResponse;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#output = exchange.output.on('drain', () => exchange.connection.core.count());
  }

  get isDrained(): boolean {
    return !this.#output.writableNeedDrain;
  }

  write(text: ByteString): void {
    writeNow(this.#exchange, text);
    if (!this.isDrained) this.#exchange.connection.core.count();
  }

  end(): void {
    if (this.isDrained) this.#output.end();
    else this.disconnect();
  }

  disconnect(): void {
    this.#output.destroy();
  }

  on(event: 'drain' | 'close' | 'end', callback: () => void): void {
    const { socket } = this.#output;
    const source: EventEmitter | null = event === 'end' ? socket : this.#output;
    source?.on(event, callback);
    if (event === 'end' && socket?.readableEnded) callback();
  }
}

/** The receiver of live content that is sent slowly. */
export class DeliveredWriter extends ResponseWriter {
  readonly #slow: DeliveredOutput;
  readonly #texts: ByteString[] = [];
  readonly #onDrain: (() => void)[] = [];
  #isWriting = false;
  #hasEnded = false;

  constructor(exchange: Exchange, slow: DeliveredOutput) {
    super(exchange);
    this.#slow = slow;
  }

  override get isDrained(): boolean {
    return !this.#isWriting && super.isDrained;
  }

  override write(text: ByteString): void {
    this.#texts.push(text);
    // Nobody waits for it: the writer tells by an event that it is drained.
    if (!this.#isWriting) void this.#writeTexts();
  }

  override end(): void {
    this.#hasEnded = true;
    if (!this.#isWriting) super.end();
  }

  override on(event: 'drain' | 'close' | 'end', callback: () => void): void {
    if (event === 'drain') this.#onDrain.push(callback);
    else super.on(event, callback);
  }

  async #writeTexts(): Promise<void> {
    this.#isWriting = true;
    for (let text = this.#texts.shift(); text !== undefined; text = this.#texts.shift()) {
      await this.#slow.write(text);
    }
    this.#isWriting = false;
    if (this.#hasEnded) super.end();
    else for (const callback of this.#onDrain) callback();
  }
}
