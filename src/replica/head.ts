import type { KeyValue } from './etcd/messages.ts';

/** Writers whose last transaction a head remembers. */
export const MAX_WRITERS = 64;

/**
 * What every transaction writes last. Its revision is compared in the next one, its version counts
 * commits, and when it arrives, the transaction is complete.
 */
export interface Head {
  /** The generation whose rows count. */
  readonly generation: string;
  /** How many ids have been given. */
  readonly idsGiven: number;
  /** How many rows the transaction has written: fewer have arrived where some were lost. */
  readonly changes: number;
  /** The number of the last transaction of each writer, who wrote last at the end. */
  readonly writers: Readonly<Record<string, number>>;
}

/** A head in etcd. */
export interface StoredHead extends Head {
  /** As it is stored, which tells it apart from any other. */
  readonly text: string;
  readonly revision: number;
  readonly version: number;
}

export function headOf({ value, modRevision, version }: KeyValue): StoredHead {
  const head: Head = JSON.parse(value);
  return { ...head, text: value, revision: modRevision, version };
}

/** The head that a writer's next transaction writes. */
export function nextHead(
  before: Pick<Head, 'writers'>,
  writer: string,
  number: number,
  rest: Omit<Head, 'writers'>,
): Head {
  const { [writer]: _, ...others } = before.writers;
  const kept = Object.entries(others).slice(1 - MAX_WRITERS);
  return { ...rest, writers: { ...Object.fromEntries(kept), [writer]: number } };
}

/**
 * Whether a writer's transaction has been applied, as a later head tells: undefined where so many
 * others have written since that it does not.
 */
export function wasApplied({ writers }: Head, writer: string, number: number): boolean | undefined {
  const last = writers[writer];
  if (last !== undefined) return last === number;
  return Object.keys(writers).length < MAX_WRITERS ? false : undefined;
}
