import type { SharedCommit } from '../todo/shared-store.ts';
import { CommitReader, GapError } from './commit-reader.ts';
import type { EtcdClient } from './etcd/client.ts';
import { EtcdError } from './etcd/error.ts';
import { watch } from './etcd/watch.ts';
import type { Keys } from './keys.ts';
import type { StoredList } from './stored-list.ts';
import type { View } from './view.ts';

/** How much of the past makes a page, in characters of rows. */
const PAGE_CHARACTERS = 256 * 1024;

/** How long reading a page may take, in milliseconds. */
const PAGE_MS = 5_000;

/**
 * Reads transactions from etcd's history, a page of them; undefined if they are compacted, or from
 * before a reset.
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
  const timer = setTimeout(() => limit.abort(), PAGE_MS);
  try {
    const { head } = await list.head(performance.now() + PAGE_MS, after);
    if (head === undefined || head.generation !== view.head?.generation) return undefined;
    const commits: SharedCommit[] = [];
    if (head.revision >= through) return commits;
    const reader = new CommitReader(keys, head);
    let characters = 0;
    for await (const events of watch(client, keys.prefix, head.revision + 1, limit.signal)) {
      for (const commit of reader.read(events)) {
        if (commit.isReset) return undefined;
        commits.push({ number: commit.head.revision, rows: view.rowsOf(commit.rows) });
        for (const { text = '' } of commit.rows) characters += text.length;
        if (commit.head.revision >= through || characters >= PAGE_CHARACTERS) return commits;
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
