import type { ByteString } from '../../../json/index.ts';
import type { Exchange } from '../connection/exchange.ts';

/**
 * Writes content at once: `node:http` alone does so in a later tick, outside of the scheduler's
 * time.
 * @param onTaken called when the system has taken it, or the client has gone
 */
export function writeNow(
  exchange: Exchange,
  chunk: ByteString | Buffer,
  onTaken?: () => void,
): void {
  const { socket } = exchange.output;
  socket?.cork();
  exchange.output.write(chunk, 'latin1', onTaken);
  socket?.uncork();
  exchange.contentBytes += chunk.length;
}
