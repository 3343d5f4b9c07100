import type { ServerResponse } from 'node:http';
import { type LongAnswer, type Slices, send, sendHeadOfSlices } from './answer.ts';
import type { ByteString } from './byte-string.ts';
import type { Exchange } from './exchange.ts';
import { overloaded } from './overload.ts';
import { Places } from './places.ts';
import type { HttpSettings } from './settings.ts';
import { TimeShare } from './time-share.ts';

/**
 * Makes and sends the answers of operations that can be long work. So many are under way at once, some wait in
 * line, the rest is refused; and they get no more than a share of the event loop, so that they harm nobody else.
 */
export class LongAnswers {
  readonly #places: Places;
  readonly #timeShare = new TimeShare();

  constructor({ longAtOnce, longWaiting }: HttpSettings) {
    this.#places = new Places(longAtOnce, longWaiting);
  }

  /**
   * Sends an answer: at once where there are room and time for it now, and it turns out short, as nearly always.
   *
   * @returns otherwise a promise that fulfils when the answer is sent or the client has gone, and rejects with what the
   * operation throws
   * @throws Problem `overloaded`, or what the operation throws
   */
  send(exchange: Exchange, operate: () => LongAnswer): Promise<void> | undefined {
    if (this.#places.full) throw overloaded('Too many long answers are being made');
    if (!this.#places.free || !this.#timeShare.free) return this.#sendInTurn(exchange, operate);
    const answer = operate();
    const { body } = answer;
    if (isSlices(body)) return this.#sendInTurn(exchange, () => answer);
    send(exchange, { ...answer, body });
    return undefined;
  }

  async #sendInTurn(exchange: Exchange, operate: () => LongAnswer): Promise<void> {
    const place = this.#places.take((leave) => exchange.response.once('close', leave));
    if (place !== undefined && !(await place)) return;
    try {
      const answer = await this.#timeShare.do(operate);
      const { body } = answer;
      if (isSlices(body)) await this.#sendSlices(exchange, answer, body);
      else send(exchange, { ...answer, body });
    } finally {
      this.#places.release();
    }
  }

  async #sendSlices(exchange: Exchange, answer: LongAnswer, slices: Slices): Promise<void> {
    const { request, response } = exchange;
    try {
      sendHeadOfSlices(exchange, answer);
      let done = request.method === 'HEAD';
      while (!done && !response.destroyed) {
        done = await this.#timeShare.do(() => {
          const slice = slices.next();
          if (!slice.done && slice.value !== '') writeNow(response, slice.value);
          return slice.done === true;
        });
        if (response.writableNeedDrain) await drained(response);
      }
      response.end();
    } finally {
      slices.return?.();
    }
  }
}

/** Waits until the client has taken what was written, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

function isSlices(body: LongAnswer['body']): body is Slices {
  return typeof body === 'object' && !Buffer.isBuffer(body);
}

/** `node:http` writes in a later tick, outside the time that is shared; but writing is the larger part of the work. */
function writeNow(response: ServerResponse, slice: ByteString): void {
  const { socket } = response;
  socket?.cork();
  response.write(slice, 'latin1');
  socket?.uncork();
}
