import { StoreError, UnknownOutcomeError } from './errors.ts';
import { EtcdError } from './etcd/etcd-error.ts';
import { hasValue, put } from './etcd/gateway.ts';
import type { Follower } from './follower.ts';
import type { CommitMembers, Head } from './head.ts';
import type { ReadIndex } from './read-index.ts';

/** A commit to send after the head that its work has seen. */
export interface UnsentCommit {
  readonly base: Head;
  readonly operations: readonly object[];
  readonly members: CommitMembers;
  /** Further comparisons. One that fails must never hold later. */
  readonly compare?: readonly object[];
  /** When to give up, by `clock.now()`. */
  readonly deadline: number;
}

/**
 * Sends commits. Each compares the head that it follows, so it is applied at most once, even if it
 * is sent several times. The token of the head that followed decides whether it was applied. A
 * failed comparison does not, because an earlier attempt may have changed the head.
 */
export class Commits {
  /** Distinguishes this writer from every other, even from the same process before a restart. */
  readonly #writer = crypto.randomUUID();
  readonly #follower: Follower;
  readonly #readIndex: ReadIndex;
  #count = 0;

  constructor(follower: Follower, readIndex: ReadIndex) {
    this.#follower = follower;
    this.#readIndex = readIndex;
  }

  /** A new token: the writer's name and a number. */
  newToken(): string {
    return `${this.#writer}.${++this.#count}`;
  }

  /** The writer of a commit; undefined if it is this one. */
  otherWriterOf({ members }: Head): string | undefined {
    const [writer] = members.token.split('.');
    return writer === this.#writer ? undefined : writer;
  }

  /**
   * Sends a commit until its outcome is known.
   * @returns its revision; undefined if another commit came first, or a comparison has failed
   * @throws UnknownOutcomeError; another StoreError if it was not applied and never will be
   */
  async send(commit: UnsentCommit): Promise<number | undefined> {
    const { base, operations, members, compare = [], deadline } = commit;
    const { etcd, keys } = this.#follower.list;
    const token = this.newToken();
    const body = {
      compare: [hasValue(keys.head, base.text), ...compare],
      success: [...operations, put(keys.head, base.successor(members, token))],
    };
    let failure: EtcdError | undefined;
    try {
      const { succeeded, revision } = await etcd.txn(body, deadline);
      if (succeeded) return revision;
    } catch (error) {
      if (!(error instanceof EtcdError) || error.isUnsent) throw error;
      failure = error;
    }
    const { next } = await this.#headAfter(base, deadline);
    if (next !== undefined) return next.isOf(token) ? next.revision : undefined;
    if (failure !== undefined) throw failure.outcome === 'unknown' ? unknown(failure) : failure;
    return undefined;
  }

  /** Reads which head has followed `base`, if any. @throws UnknownOutcomeError if it is not known */
  async #headAfter(base: Head, deadline: number): Promise<{ readonly next: Head | undefined }> {
    try {
      await this.#readIndex.wait(deadline);
    } catch (error) {
      throw error instanceof StoreError ? unknown(error) : error;
    }
    if (base.next === undefined && this.#follower.head !== base) {
      throw new UnknownOutcomeError('the list was loaded again meanwhile');
    }
    return base;
  }
}

function unknown({ message }: StoreError): UnknownOutcomeError {
  return new UnknownOutcomeError(message);
}
