import type { IncomingMessage } from 'node:http';
import type { EtcdClient } from './client.ts';
import { EtcdError } from './error.ts';
import { encode, type KeyValue, keyValueOf, prefixEnd, type WatchMessage } from './messages.ts';

/** A key that has been put or deleted. */
export interface WatchEvent {
  readonly kv: KeyValue;
  readonly isDelete: boolean;
}

/**
 * Watches all keys with a prefix. Yields the events of each message, in the order of the operations
 * that caused them. A transaction may span several messages.
 * @param from the first revision to watch
 * @throws EtcdError if the watch cannot be opened, is ended by etcd, or breaks off; with
 * `isOutOfRange` if etcd has compacted this revision
 */
export async function* watch(
  client: EtcdClient,
  prefix: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchEvent[], void> {
  const create_request = {
    key: encode(prefix),
    range_end: encode(prefixEnd(prefix)),
    start_revision: String(from),
    fragment: true,
  };
  const response = await client.watch({ create_request });
  const stop = () => response.destroy(new Error('given up'));
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    for await (const line of linesOf(response)) yield eventsOf(JSON.parse(line));
  } catch (error) {
    if (error instanceof EtcdError) throw error;
    throw new EtcdError('unknown', `the watch broke off: ${String(error)}`);
  } finally {
    signal.removeEventListener('abort', stop);
    response.destroy();
  }
  throw new EtcdError('unknown', 'the watch ended');
}

function eventsOf({ result, error }: WatchMessage): readonly WatchEvent[] {
  if (result === undefined) throw new EtcdError('unknown', JSON.stringify(error));
  if (result.canceled) {
    // The stream would stay open, but silent.
    const code = result.compact_revision === undefined ? undefined : OUT_OF_RANGE;
    throw new EtcdError('rejected', `the watch was ended: ${result.cancel_reason ?? ''}`, code);
  }
  return (result.events ?? []).map(({ type, kv }) => ({
    kv: keyValueOf(kv),
    isDelete: type === 'DELETE',
  }));
}

const OUT_OF_RANGE = 11;

async function* linesOf(response: IncomingMessage): AsyncGenerator<string, void> {
  let rest: string[] = [];
  for await (const chunk of response.setEncoding('latin1')) {
    const lines = String(chunk).split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      yield rest.join('') + line;
      rest = [];
    }
    rest.push(last);
  }
}
