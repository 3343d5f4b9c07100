import type { SharedCommit } from '../todo/shared-store.ts';
import { CommitReader, GapError } from './commit-reader.ts';
import type { EtcdClient } from './etcd/client.ts';
import { EtcdError } from './etcd/error.ts';
import { watch } from './etcd/watch.ts';
import type { Keys } from './keys.ts';
import type { StoredList } from './stored-list.ts';
import type { View } from './view.ts';

/** How much of the past to read, in characters of rows. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** How long reading may take, in milliseconds. */
const READ_MS = 5_000;

/**
 * Reads a range of transactions from etcd's history; undefined if they are compacted, too many, or
 * from before a reset.
 */
export async function readHistory(
  client: EtcdClient,
  keys: Keys,
  list: StoredList,
  view: View,
  after: number,
  through: number,
): Promise<readonly SharedCommit[] | undefined> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), READ_MS);
  try {
    const { head } = await list.head(performance.now() + READ_MS, after);
    if (head === undefined) return undefined;
    const commits: SharedCommit[] = [];
    if (head.revision >= through) return commits;
    const reader = new CommitReader(keys, head);
    let characters = 0;
    for await (const events of watch(client, keys.prefix, head.revision + 1, limit.signal)) {
      for (const commit of reader.read(events)) {
        if (commit.isReset) return undefined;
        for (const { text = '' } of commit.rows) characters += text.length;
        if (characters > MAX_CHARACTERS) return undefined;
        commits.push({ number: commit.head.revision, rows: view.rowsOf(commit.rows) });
        if (commit.head.revision >= through) return commits;
      }
    }
    return undefined;
  } catch (error) {
    if (error instanceof GapError || error instanceof EtcdError) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
