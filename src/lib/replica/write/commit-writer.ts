import { StoreError, UnknownOutcomeError } from '../errors.ts';
import { EtcdError } from '../etcd/etcd-error.ts';
import { get, hasValue, type OperationMessage, put } from '../etcd/json.ts';
import {
  type CommitHead,
  nextHead,
  type StoredHead,
  textOfHead,
  wasApplied,
} from '../stored/commit-head.ts';
import type { StoredList } from '../stored/stored-list.ts';

interface WriteOutcome {
  /** False if another transaction came first. Then this one will never be applied. */
  readonly isApplied: boolean;
  /** The transaction's own head if it is applied, else the current one. */
  readonly head: StoredHead;
}

/** A transaction that must follow the one with the head `base`. */
export interface UnsentTransaction {
  readonly base: StoredHead;
  /** Further conditions. A failed condition must never hold later. */
  readonly compare?: readonly object[];
  readonly operations: readonly OperationMessage[];
  readonly head: Omit<CommitHead, 'writers'>;
  /** When to give up, by `clock.now()`. */
  readonly deadline: number;
}

/**
 * Sends transactions, one after the other. Each compares the previous head, so it is applied at
 * most once, even if this writer or a proxy sends it several times. Its own head has a token: the
 * writer's name and a number. Only the token in a later head decides whether it was applied. A
 * failed comparison does not, because the transaction itself may have changed the head.
 */
export class CommitWriter {
  /** Distinguishes this writer from every other, even from the same process before a restart. */
  readonly name = crypto.randomUUID().slice(0, 13);
  readonly #list: StoredList;
  #number = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(list: StoredList) {
    this.#list = list;
  }

  /** Retries until the outcome is known. @throws UnknownOutcomeError; EtcdError if not applied */
  write(transaction: UnsentTransaction): Promise<WriteOutcome> {
    // One at a time, because a head has only the last token of each writer.
    const written = this.#last.then(() => this.#write(transaction));
    this.#last = written.catch(() => {});
    return written;
  }

  async #write(transaction: UnsentTransaction): Promise<WriteOutcome> {
    const { base, compare = [], operations, head, deadline } = transaction;
    const { client, keys } = this.#list;
    const number = ++this.#number;
    const headText = textOfHead(nextHead(base.writers, this.name, number, head));
    const body = {
      compare: [hasValue(keys.head, base.text), ...compare],
      success: [...operations, put(keys.head, headText), get(keys.head)],
      failure: [get(keys.head)],
    };
    try {
      const { found } = await client.txn(body, { deadline });
      const stored = found.at(-1);
      const known = await this.#outcome(transaction, number, stored && this.#list.headOf(stored));
      // If the base is still current, another condition has failed.
      return known ?? { isApplied: false, head: base };
    } catch (error) {
      if (!(error instanceof EtcdError)) throwUnknown(error);
      if (error.isUnsent) throw error;
      // A proxy may have sent it twice, so etcd may have applied it before refusing it.
      const { head: current } = await this.#list.head({ deadline }).catch(throwUnknown);
      const known = await this.#outcome(transaction, number, current);
      if (known !== undefined) return known;
      throw error.outcome === 'unknown' ? unknownOutcome(error) : error;
    }
  }

  /**
   * The outcome of a transaction by the current head; undefined while it can still be applied.
   * @throws UnknownOutcomeError
   */
  async #outcome({ base, deadline }: UnsentTransaction, number: number, current?: StoredHead) {
    if (current?.text === base.text) return undefined;
    if (current === undefined || current.revision <= base.revision) {
      throw new UnknownOutcomeError('etcd was restored to an earlier state');
    }
    const isApplied = wasApplied(current, base, this.name, number);
    if (isApplied === undefined)
      throw new UnknownOutcomeError('too many other writers have committed');
    if (!isApplied) return { isApplied, head: current };
    const head = await this.#list.headAfter(base, current, deadline).catch(throwUnknown);
    return { isApplied, head };
  }
}

/** Throws an UnknownOutcomeError instead of another StoreError. */
function throwUnknown(error: unknown): never {
  throw error instanceof StoreError ? unknownOutcome(error) : error;
}

/** The error of a transaction that may have been applied, although it has failed. */
export function unknownOutcome({ message, option }: StoreError): UnknownOutcomeError {
  return new UnknownOutcomeError(message, { option });
}
