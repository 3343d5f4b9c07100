import type { ByteString } from '../../../json/index.ts';
import { type ContentSteps, drainOf, isInSteps, type Response } from '../../core/response.ts';
import type { Exchange } from '../connection/exchange.ts';
import { ContentWriter } from './content-writer.ts';
import type { Heads } from './heads.ts';

/** Sends a response, if the client is still there. @returns a promise if content is in steps */
export function send(
  exchange: Exchange,
  response: Response,
  heads: Heads,
): Promise<void> | undefined {
  const { content, rest, delivery } = response;
  const { output, connection, method } = exchange;
  if (response.isAborted) connection.core.disconnect(response.isReset);
  if (exchange.isGone) return undefined;
  if (isInSteps(content)) throw new TypeError('only a route may respond in steps');
  const isLive = typeof content === 'function';
  if (method !== 'HEAD' && isLive) {
    // Nothing after it will be served, so requests that follow are not kept waiting.
    heads.send(exchange, { ...response, close: true }, 'chunked');
    content(new ContentWriter(exchange, delivery));
    return undefined;
  }
  heads.send(exchange, response, isLive || rest !== undefined ? 'chunked' : content?.length);
  if (method === 'HEAD' || isLive || content === undefined) output.end();
  else if (rest !== undefined || delivery !== undefined) {
    return sendInParts(exchange, content, rest, new ContentWriter(exchange, delivery));
  } else {
    output.end(content, 'latin1');
    exchange.contentBytes = content.length;
  }
  // What the client does not read at once.
  if (output.socket?.writableLength) connection.core.count();
  return undefined;
}

/** Sends content part by part, each as soon as the client has taken those before. */
async function sendInParts(
  exchange: Exchange,
  first: ByteString | Buffer,
  rest: ContentSteps | undefined,
  writer: ContentWriter,
): Promise<void> {
  const drained = drainOf(writer);
  exchange.isRunningSteps = rest !== undefined;
  writer.write(first);
  if (rest !== undefined) rest.take = (part) => writer.write(part);
  for (let isEnd = rest === undefined; ; ) {
    exchange.setWorkBytes(rest?.bytes ?? 0);
    exchange.connection.core.count();
    await drained();
    if (isEnd || rest === undefined || exchange.isGone) break;
    isEnd = await exchange.connection.scheduler.run(rest, exchange, false);
  }
  exchange.output.end();
}
