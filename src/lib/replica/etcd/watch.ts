import { clock } from '../../clock.ts';
import { EtcdError } from '../errors.ts';
import type { EtcdClient } from './client.ts';
import { checkLength, type KeyChange, parseJson, prefixEnd, range, watchAnswer } from './json.ts';

/** How long etcd may take to say that a watch is created, in milliseconds. */
const CREATED_MS = 3_000;

/** How much of a line is progress, in bytes. A watch that gives less in a second is silent. */
const PROGRESS_BYTES = 16 * 1024;

/**
 * Watches all keys with a prefix. Yields the events of each piece that arrives, in the order of the
 * operations that caused them: none at first, when etcd has created the watch. A transaction may
 * span several pieces, and a piece may have no event: then more of a long message has come.
 * @param from the first revision to watch; undefined for all that are yet to come
 * @param abort ends it; aborted when it is over
 * @throws EtcdError when it cannot be opened or ends; GapError if etcd has compacted `from`
 */
export async function* watch(
  client: EtcdClient,
  prefix: string,
  from: number | undefined,
  abort: AbortController,
): AsyncGenerator<readonly KeyChange[], void> {
  const keys = range(prefix, prefixEnd(prefix));
  const create_request = { ...keys, start_revision: from?.toString(), fragment: true };
  const chunks = await client.watch({ create_request }, abort);
  const timer = clock.setTimeout(() => abort.abort('the watch was not created'), CREATED_MS);
  let isCreated = false;
  try {
    for await (const lines of linesOf(chunks)) {
      const answers = lines.map((line) => watchAnswer(parseJson(line)));
      if (!isCreated && answers.length === 0) continue;
      const isFirst = !isCreated;
      isCreated ||= answers[0]?.isCreated === true;
      if (!isCreated) throw new EtcdError('unknown', 'etcd did not create the watch');
      clock.clear(timer);
      const events = answers.flatMap((answer) => answer.events);
      // A message without an event, of which there may be any number, is no sign of life.
      if (isFirst || events.length > 0 || lines.length === 0) yield events;
    }
  } finally {
    clock.clear(timer);
    abort.abort('the watch is over');
  }
  throw new EtcdError('unknown', 'the watch ended');
}

/** The lines that chunks complete; none, if more of a long one has come. etcd's JSON is ASCII. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void> {
  let rest = '';
  let reported = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const lines = bytes.toString('latin1').split('\n');
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? '';
    checkLength(rest.length);
    if (lines.length === 0 && rest.length - reported < PROGRESS_BYTES) continue;
    reported = rest.length;
    yield lines;
  }
}
