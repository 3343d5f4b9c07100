import { clock, sleep } from '../../clock.ts';
import { EtcdError, GapError, StoreError, UnreadableError } from '../errors.ts';
import { watch } from '../etcd/watch.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import { commitReader } from './commit-reader.ts';
import type { EtcdFollower } from './etcd-follower.ts';
import type { RowChange } from './replica-table.ts';

/** How much of the past makes a page, in characters of rows. */
const PAGE_CHARACTERS = 256 * 1024;

/** How many pages to read at once. Each takes a connection, and etcd searches its history. */
const MAX_READINGS = 16;

/** How often to try to read a page of which a part is missing. */
const MAX_GAPS = 3;

/** The share of the time for a page after which to ask another node. */
const FIRST_SHARE = 1 / 3;

/** How long to wait before trying again, in milliseconds. */
const PAUSE_MS = 50;

/** A commit of any replica: its number, and the rows that it has put or deleted. */
export interface PastCommit {
  readonly number: number;
  readonly rows: readonly RowChange[];
}

type Page = readonly PastCommit[];

/**
 * Reads the next commits after one, up to another: at least one if there is one; undefined if they
 * are compacted, or from before a reset. @throws StoreError if etcd does not give them in time
 */
export type HistoryReader = (after: number, through: number) => Promise<Page | undefined>;

/** Makes what reads past transactions from etcd's history, page by page. */
export function historyReader(follower: EtcdFollower): HistoryReader {
  const { list, rows } = follower;
  const { client, keys, timeoutMs } = list;
  /** Pages that are being read or wait to be, by range. */
  const pages = new Map<string, Promise<Page | undefined>>();
  const waiting: (() => void)[] = [];
  let readings = 0;

  return (after, through) => {
    // Streams that come from a replica that has stopped have seen the same.
    const range = `${after}-${through}`;
    const page = pages.get(range) ?? inTurn(after, through).finally(() => pages.delete(range));
    pages.set(range, page);
    return page;
  };

  async function inTurn(after: number, through: number): Promise<Page | undefined> {
    while (readings >= MAX_READINGS) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    readings++;
    try {
      return await read(after, through);
    } catch (error) {
      if (error instanceof GapError || error instanceof UnreadableError) return undefined;
      throw error;
    } finally {
      readings--;
      waiting.shift()?.();
    }
  }

  async function read(after: number, through: number): Promise<Page> {
    const deadline = list.deadline();
    for (let tries = 1; ; tries++) {
      const { head } = await list.head({ deadline }, after);
      const isCurrent = head?.generation === follower.head?.generation;
      if (head === undefined || !isCurrent) throw new GapError('the list has been reset');
      if (head.revision >= through) return [];
      const left = tries === 1 ? timeoutMs * FIRST_SHARE : Math.max(0, deadline - clock.now());
      try {
        return await collect(head, through, left);
      } catch (error) {
        const isOver = error instanceof GapError ? tries >= MAX_GAPS : clock.now() >= deadline;
        if (!(error instanceof EtcdError) || isOver) throw error;
      }
      await sleep(PAUSE_MS);
    }
  }

  /** Collects what follows a head, for `ms`. @throws StoreError if nothing comes */
  async function collect(head: StoredHead, through: number, ms: number): Promise<Page> {
    const commits: PastCommit[] = [];
    const limit = new AbortController();
    const timer = clock.setTimeout(() => {
      // The node may be paused or disconnected.
      if (commits.length === 0) client.switchEndpoint();
      limit.abort('it took too long');
    }, ms);
    const completed = commitReader(keys, head);
    let characters = 0;
    try {
      for await (const events of watch(client, keys.prefix, head.revision + 1, limit)) {
        for (const commit of completed(events)) {
          if (commit.isReset) throw new GapError('the list has been reset');
          commits.push({ number: commit.head.revision, rows: rows.read(commit.rows) });
          for (const { value = '' } of commit.rows) characters += value.length;
          const isPage = commit.head.revision >= through || characters >= PAGE_CHARACTERS;
          if (isPage) return commits;
        }
      }
    } catch (error) {
      // The commits read before the error are a page all the same.
      if (!(error instanceof StoreError) || commits.length === 0) throw error;
    } finally {
      clock.clear(timer);
    }
    return commits;
  }
}
