import { StoreError, UnknownOutcomeError } from './errors.ts';
import { EtcdError } from './etcd/etcd-error.ts';
import { hasValue, put } from './etcd/gateway.ts';
import type { Follower } from './follower.ts';
import type { Head } from './head.ts';

/** A commit to send after the head that its work has seen. */
export interface UnsentCommit {
  readonly base: Head;
  readonly token: string;
  /** One for each row. */
  readonly operations: readonly object[];
  /** The name of the rows that count after the commit. */
  readonly generation: string;
  readonly idsAssigned: bigint;
  /** Further comparisons. One that fails must never hold later. */
  readonly compare?: readonly object[];
  /** When to give up, by `clock.now()`. */
  readonly deadline: number;
}

/**
 * Sends a commit until its outcome is known. It compares the head that it follows, so it is applied
 * at most once, even if it is sent several times. The token of the head that followed decides
 * whether it was applied. A failed comparison does not, because an earlier attempt may have changed
 * the head.
 * @returns its revision; undefined if another commit came first, or a comparison has failed
 * @throws UnknownOutcomeError; another StoreError if it was not applied and never will be
 */
export async function sendCommit(
  follower: Follower,
  { base, token, operations, generation, idsAssigned, compare = [], deadline }: UnsentCommit,
): Promise<number | undefined> {
  const { etcd, keys } = follower.list;
  const changes = operations.length;
  const head = base.successor({ generation, idsAssigned: String(idsAssigned), changes }, token);
  const isReset = generation !== base.members.generation;
  const name = isReset ? [put(keys.generation, generation)] : [];
  const body = {
    compare: [hasValue(keys.head, base.text), ...compare],
    success: [...operations, ...name, put(keys.head, head)],
  };
  let failure: EtcdError | undefined;
  try {
    const { succeeded, revision } = await etcd.txn(body, deadline);
    if (succeeded) return revision;
  } catch (error) {
    if (!(error instanceof EtcdError) || error.isUnsent) throw error;
    failure = error;
  }
  try {
    await follower.catchUp(deadline);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // etcd has refused every attempt.
    if (failure !== undefined && failure.outcome !== 'unknown') throw failure;
    throw new UnknownOutcomeError(error.message);
  }
  const { next } = base;
  if (next !== undefined) return next.isOf(token) ? next.revision : undefined;
  if (follower.head !== base) {
    throw new UnknownOutcomeError('the list was loaded again meanwhile');
  }
  if (failure?.outcome === 'unknown') throw new UnknownOutcomeError(failure.message);
  if (failure !== undefined) throw failure;
  return undefined;
}
