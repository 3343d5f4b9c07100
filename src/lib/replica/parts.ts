import type { Item, SeedItems } from '../../service/store/items.ts';
import type { EtcdFollower } from './read/etcd-follower.ts';
import type { ReadIndex } from './read/read-index.ts';
import type { ReplicaTable } from './read/replica-table.ts';
import type { StoredList } from './stored/stored-list.ts';
import type { CommitWriter } from './write/commit-writer.ts';

/** What those who serve requests need of a replica. */
export interface ReplicaParts {
  readonly list: StoredList;
  readonly rows: ReplicaTable;
  readonly writer: CommitWriter;
  readonly follower: EtcdFollower;
  readonly readIndex: ReadIndex;
  /** Makes the items of the seed, or of another one, by ascending id. @throws Problem */
  readonly seedItems: (seed?: SeedItems) => Promise<readonly Item[]>;
  /** How long a request may wait for etcd, in milliseconds. */
  readonly timeoutMs: number;
}
