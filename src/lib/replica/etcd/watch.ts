import { clock } from '../../clock.ts';
import type { EtcdClient } from './client.ts';
import { EtcdError } from './etcd-error.ts';
import { type KeyChange, parseJson, prefixEnd, range, watchAnswer } from './json.ts';

/** The time limit for etcd's confirmation of a watch, in milliseconds. */
const CREATED_MS = 3_000;

/**
 * Watches all keys with a prefix. Yields, for each chunk received, the events whose last byte it
 * contains, in the order of the operations. The first list of events, which may be empty, comes
 * when etcd has created the watch. A transaction may span several chunks.
 * @param from the first revision to watch
 * @param abort ends the watch; also aborted when the watch ends by itself
 * @throws EtcdError when it cannot be opened or ends, such as because etcd has compacted `from`
 */
export async function* watch(
  client: EtcdClient,
  prefix: string,
  from: number,
  abort: AbortController,
): AsyncGenerator<readonly KeyChange[], void> {
  const keys = range(prefix, prefixEnd(prefix));
  const create_request = { ...keys, start_revision: String(from), fragment: true };
  const { chunks, redact } = await client.watch({ create_request }, abort);
  const timer = clock.setTimeout(() => abort.abort('the watch was not created'), CREATED_MS);
  let isCreated = false;
  try {
    for await (const lines of linesOf(chunks)) {
      const answers = lines.map((line) => watchAnswer(parseJson(line), redact));
      if (!isCreated) {
        const [first] = answers;
        if (first === undefined) continue;
        if (!first.isCreated) throw new EtcdError('unknown', 'etcd did not create the watch');
        clock.clear(timer);
        isCreated = true;
      }
      yield answers.flatMap(({ events }) => events);
    }
  } finally {
    clock.clear(timer);
    abort.abort('the watch is over');
  }
  throw new EtcdError('unknown', 'the watch ended');
}

/** The lines that each chunk completes, perhaps none. etcd's JSON is ASCII. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void> {
  let rest = '';
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const lines = bytes.toString('latin1').split('\n');
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? '';
    yield lines;
  }
}
