import type { IncomingMessage } from 'node:http';
import type { Exchange } from './exchange.ts';
import { isJson } from './media-type.ts';
import { Problem } from './problem.ts';

/** The largest request body that is read, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

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
 * Reads the whole body of a request, and then calls one of the two, once; or neither, where the client goes away or
 * has been answered before. Callbacks, because a promise here costs each write a twentieth of its time.
 * @param refuse gets a Problem `content-too-large`.
 */
export function readBody(
  exchange: Exchange,
  done: (bytes: Buffer) => void,
  refuse: (problem: Problem) => void,
): void {
  const { request, response } = exchange;
  const chunks: Buffer[] = [];
  let size = 0;
  exchange.sendContinue();
  request.on('data', (chunk: Buffer) => {
    if (size > MAX_BODY_BYTES) return;
    size += chunk.length;
    if (size > MAX_BODY_BYTES) refuse(contentTooLarge());
    else chunks.push(chunk);
  });
  request.on('end', () => {
    if (size > MAX_BODY_BYTES || response.headersSent) return;
    done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
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
