import type { StreamWriter } from '../../../../src/lib/http/messages/response.ts';
import type { ByteString } from '../../../../src/lib/json/byte-string.ts';
import type { SeenEvent } from '../../../support/events.ts';

/** An event stream, as its client receives it. */
export class SimulatedStream implements StreamWriter {
  readonly events: SeenEvent[] = [];
  hasEnded = false;
  /** The id of the last event that had one. */
  lastEventId: string | undefined;
  readonly isDrained = true;
  readonly #onClose: (() => void)[] = [];
  #onEvent: () => void = () => {};
  #taken = 0;

  write(text: ByteString): void {
    if (this.hasEnded) return;
    for (const block of Buffer.from(text, 'latin1').toString('utf8').split('\n\n')) {
      const members = new Map(block.split('\n').map((line) => splitAt(line, ': ')));
      const id = members.get('id');
      this.lastEventId = id ?? this.lastEventId;
      const [event, data] = [members.get('event'), members.get('data')];
      if (event !== undefined && data !== undefined) this.events.push({ event, data, id });
    }
    this.#onEvent();
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#onEvent();
    for (const callback of this.#onClose) callback();
  }

  disconnect(): void {
    this.end();
  }

  on(event: 'drain' | 'close' | 'end', callback: () => void): void {
    if (event === 'close') this.#onClose.push(callback);
  }

  /** The next event; undefined at the end. */
  async next(): Promise<SeenEvent | undefined> {
    while (this.#taken === this.events.length && !this.hasEnded) {
      await new Promise<void>((resolve) => {
        this.#onEvent = resolve;
      });
    }
    return this.events[this.#taken++];
  }
}

function splitAt(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + separator.length)];
}
