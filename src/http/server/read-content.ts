import type { Problem } from '../core/problem.ts';
import { contentTooLarge, MAX_CONTENT_BYTES } from '../request/content.ts';
import type { Exchange } from './exchange.ts';

/**
 * Reads the content of a request into it, and then calls back, once; or never, where the client
 * goes away. A callback, because a promise costs each write a twentieth of its time.
 * @param done gets a Problem `content-too-large` where there is too much
 */
export function readContent(exchange: Exchange, done: (refusal?: Problem) => void): void {
  const { message, connection, headers } = exchange;
  const declared = Number(headers['content-length']);
  const chunks: Buffer[] = [];
  let size = 0;
  let held = 0;
  exchange.sendContinue();
  message.on('data', (chunk: Buffer) => {
    if (size > MAX_CONTENT_BYTES) return;
    size += chunk.length;
    if (size > MAX_CONTENT_BYTES) {
      chunks.length = 0;
      release();
      done(contentTooLarge());
      return;
    }
    chunks.push(chunk);
    // Nearly always the content comes in one piece, and is gone before others could count it.
    if (size !== declared) hold(chunk.length);
  });
  message.on('end', () => {
    if (size > MAX_CONTENT_BYTES) return;
    release();
    exchange.content = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    done();
  });

  function hold(bytes: number): void {
    held += bytes;
    connection.hold(bytes);
  }

  function release(): void {
    if (held > 0) connection.hold(-held);
    held = 0;
  }
}

/**
 * Reads the content of a request that is refused, so that the connection can go on to serve the
 * next one; it ends where there is more than any request may have.
 */
export function discardContent({ message, connection }: Exchange): void {
  let size = 0;
  message.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_CONTENT_BYTES) connection.end();
  });
}
