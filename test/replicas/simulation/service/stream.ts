import type { StreamWriter } from '../../../../src/lib/http/messages/response.ts';
import type { ByteString } from '../../../../src/lib/json/byte-string.ts';
import type { SeenEvent } from '../../../support/events.ts';

/** An event stream, as its client receives it. */
export class SimulatedStream implements StreamWriter {
  readonly isDrained = true;
  /** The id of the last event that had one. */
  lastEventId: string | undefined;
  /** The events that have arrived, besides `ping`, and have not been taken. */
  readonly #events: SeenEvent[] = [];
  readonly #onClose: (() => void)[] = [];
  #hasEnded = false;
  #wake: () => void = () => {};

  write(text: ByteString): void {
    if (this.#hasEnded) return;
    for (const block of Buffer.from(text, 'latin1').toString('utf8').split('\n\n')) {
      const [, id] = /^id: (.*)$/m.exec(block) ?? [];
      const [, event] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      this.lastEventId = id ?? this.lastEventId;
      if (event === undefined || data === undefined || event === 'ping') continue;
      this.#events.push({ event, data, id });
    }
    this.#wake();
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#wake();
    for (const callback of this.#onClose) callback();
  }

  on(event: 'drain' | 'close' | 'end', callback: () => void): void {
    if (event === 'close') this.#onClose.push(callback);
  }

  /** The next event; undefined at the end. */
  async next(): Promise<SeenEvent | undefined> {
    while (this.#events.length === 0 && !this.#hasEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#events.shift();
  }
}
