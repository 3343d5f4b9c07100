import type { IncomingMessage } from 'node:http';
import type { Exchange } from './exchange.ts';
import { isJson } from './media-type.ts';
import { Problem } from './problem.ts';

/** The largest request body that is read, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/** The client went away, or has been answered, before its request was complete: there is nothing to do for it. */
export class Aborted extends Error {
  override readonly name = 'Aborted';
}

/**
 * Checks what the header says of a JSON body, before any of it is read.
 * @throws Problem `unsupported-media-type`.
 */
export function checkJsonBody({ headers }: IncomingMessage): void {
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'identity') {
    throw unsupported(`Content-Encoding must be absent or identity, not ${coding}`, {
      'Accept-Encoding': 'identity',
    });
  }
  const type = headers['content-type'];
  if (type === undefined || !isJson(type)) {
    throw unsupported(`Content-Type must be application/json in UTF-8, not ${type ?? 'absent'}`);
  }
}

/**
 * The whole body of a request.
 * @returns a promise that rejects with a Problem `content-too-large`, or with {@link Aborted}.
 */
export function readBody(exchange: Exchange): Promise<Buffer> {
  const { request, response } = exchange;
  exchange.sendContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const abort = () => reject(new Aborted());
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) reject(contentTooLarge());
      else chunks.push(chunk);
    });
    request.on('end', () => {
      if (response.headersSent) abort();
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    request.on('error', abort);
    // Every request closes; most have ended before.
    request.on('close', () => request.readableEnded || abort());
  });
}

/** The answer to a body longer than {@link MAX_BODY_BYTES}. */
export function contentTooLarge(): Problem {
  const detail = `The request body must be at most ${MAX_BODY_BYTES} bytes long`;
  return new Problem('content-too-large', detail, { close: true });
}

function unsupported(detail: string, headers: Readonly<Record<string, string>> = {}): Problem {
  return new Problem('unsupported-media-type', detail, {
    headers: { 'Accept-Post': 'application/json', ...headers },
  });
}
