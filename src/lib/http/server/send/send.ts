import type { ByteString } from '../../../json/index.ts';
import {
  type ContentSteps,
  type Delivery,
  isInSteps,
  type LiveContent,
  type Response,
} from '../../core/response.ts';
import type { Exchange } from '../connection/exchange.ts';
import type { Heads } from './heads.ts';
import { DeliveredOutput, DeliveredWriter, ResponseWriter, writeNow } from './output.ts';

/** Sends a response, if the client is still there. @returns a promise if content is in steps */
export function send(
  exchange: Exchange,
  response: Response,
  heads: Heads,
): Promise<void> | undefined {
  const { content, rest, delivery } = response;
  if (response.isReset) exchange.connection.core.disconnect(true);
  else if (response.isAborted) exchange.connection.core.disconnect();
  else if (exchange.isGone) return undefined;
  else if (typeof content === 'function') sendLive(exchange, response, content, heads);
  else if (isInSteps(content)) throw new TypeError('only a route may respond in steps');
  else if (typeof content === 'string' && rest !== undefined) {
    heads.send(exchange, response, 'chunked');
    if (exchange.method !== 'HEAD') return sendInSteps(exchange, content, rest, delivery);
    exchange.output.end();
  } else if (content !== undefined && delivery !== undefined && exchange.method !== 'HEAD') {
    heads.send(exchange, response, content.length);
    return new DeliveredOutput(exchange, delivery).write(content).then(() => {
      if (!exchange.isGone) exchange.output.end();
    });
  } else sendWhole(exchange, response, heads, content);
  return undefined;
}

function sendWhole(
  exchange: Exchange,
  response: Response,
  heads: Heads,
  content?: ByteString | Buffer,
): void {
  heads.send(exchange, response, content?.length);
  exchange.output.end(content, 'latin1');
  exchange.contentBytes = exchange.method === 'HEAD' ? 0 : (content?.length ?? 0);
  // What the client does not read at once.
  if (exchange.output.socket?.writableLength) exchange.connection.core.count();
}

async function sendInSteps(
  exchange: Exchange,
  first: ByteString,
  rest: ContentSteps,
  delivery?: Delivery,
) {
  const { output, connection } = exchange;
  const slow = delivery && new DeliveredOutput(exchange, delivery);
  let goOn = () => {};
  output.on('drain', () => goOn()).on('close', () => goOn());
  let written: Promise<void> | undefined;
  rest.take = (part) => {
    if (slow === undefined) writeNow(exchange, part);
    else written = slow.write(part);
  };
  exchange.isRunningSteps = true;
  rest.take(first);
  for (let isEnd = false; ; ) {
    exchange.setWorkBytes(rest.bytes ?? 0);
    connection.core.count();
    if (written !== undefined) await written;
    if (output.writableNeedDrain) {
      // Until the client has taken everything written, or has disconnected.
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    }
    if (isEnd || exchange.isGone) break;
    isEnd = await connection.scheduler.run(rest, exchange, false);
  }
  output.end();
}

/** Nothing after it will be served, so requests that follow are not kept waiting. */
function sendLive(
  exchange: Exchange,
  response: Response,
  content: LiveContent,
  heads: Heads,
): void {
  const isHead = exchange.method === 'HEAD';
  heads.send(exchange, { ...response, close: !isHead }, 'chunked');
  const { delivery } = response;
  if (isHead) exchange.output.end();
  else if (delivery === undefined) content(new ResponseWriter(exchange));
  else content(new DeliveredWriter(exchange, new DeliveredOutput(exchange, delivery)));
}
