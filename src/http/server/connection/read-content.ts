import type { Problem } from '../../core/problem.ts';
import { contentTooLarge, MAX_CONTENT_BYTES } from '../../request/content.ts';
import { GrowingBuffer } from '../receive/growing-buffer.ts';
import type { Exchange } from './exchange.ts';

/**
 * Reads the content of a request, then calls back once; never, if the client disconnects. It takes
 * a callback because a promise would cost each write a twentieth of its time.
 * @param done receives a Problem `content-too-large` if there is too much
 */
export function readContent(exchange: Exchange, done: (refusal?: Problem) => void): void {
  const { message, connection, headers } = exchange;
  const declared = Number(headers['content-length']);
  const gathered = new GrowingBuffer();
  let size = 0;
  let held = 0;
  exchange.sendContinue();
  message.sendContentTo({
    take(piece) {
      if (size > MAX_CONTENT_BYTES) return;
      size += piece.length;
      if (size > MAX_CONTENT_BYTES) {
        gathered.clear();
        hold(0);
        done(contentTooLarge());
        return;
      }
      gathered.add(piece);
      // Content nearly always comes in one piece, and is gone before it could count as held.
      if (size !== declared) hold(gathered.bytes);
    },
    end() {
      if (size > MAX_CONTENT_BYTES) return;
      hold(0);
      exchange.content = gathered.content;
      done();
    },
  });

  function hold(bytes: number): void {
    if (bytes !== held) connection.hold(bytes - held);
    held = bytes;
  }
}

/**
 * Discards the content of a refused request, so that the connection can serve the next one. The
 * connection closes if there is more than any request may have.
 */
export function discardContent({ message, connection }: Exchange): void {
  let size = 0;
  message.sendContentTo({
    take(piece) {
      size += piece.length;
      if (size > MAX_CONTENT_BYTES) connection.end();
    },
    end() {},
  });
}
