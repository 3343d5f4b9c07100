import { setTimeout as sleep } from 'node:timers/promises';
import type { EtcdClient } from './etcd/client.ts';
import { EtcdError } from './etcd/error.ts';
import { get, hasValue, isUnchanged, keyValueOf, put } from './etcd/messages.ts';
import { type Head, headOf, nextHead, type StoredHead, wasApplied } from './head.ts';
import type { Keys } from './keys.ts';
import type { StoredList } from './stored-list.ts';

/** How long a transaction is not sent again, in milliseconds. */
const PAUSE_MS = 20;

/** A transaction that may have been applied, or not: nobody can tell. */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownOutcomeError';
}

/** What became of a transaction. */
export type Fate =
  /** With its head, unless the answer was lost; all of it shows from the revision on. */
  | { readonly isApplied: true; readonly revision: number; readonly head?: StoredHead }
  /** Another one came first; it is to be made anew on what is there in the revision. */
  | { readonly isApplied: false; readonly revision: number };

/** A transaction that is to follow the one with the head `base`. */
export interface Transaction {
  readonly base: StoredHead;
  readonly metaRevision: number;
  readonly operations: readonly object[];
  readonly head: Omit<Head, 'writers'>;
  /** When it is given up, as `performance.now()` has it. */
  readonly deadline: number;
}

/**
 * Sends transactions, one after the other, so that each happens once at most, however often it has
 * to be sent: each expects the head before it, and marks its own head with a number of the writer,
 * by which it is recognised where the answer was lost.
 */
export class HeadWriter {
  /** Tells this writer apart from every other, also from one before a restart. */
  readonly name = crypto.randomUUID().slice(0, 13);
  readonly #client: EtcdClient;
  readonly #keys: Keys;
  readonly #list: StoredList;
  #number = 0;

  constructor(client: EtcdClient, keys: Keys, list: StoredList) {
    this.#client = client;
    this.#keys = keys;
    this.#list = list;
  }

  /**
   * @throws UnknownOutcomeError
   * @throws EtcdError where nothing has happened
   */
  async write(transaction: Transaction): Promise<Fate> {
    const { base, deadline } = transaction;
    const number = ++this.#number;
    const text = JSON.stringify(nextHead(base, this.name, number, transaction.head));
    const body = this.#body(transaction, text);
    for (let isOpen = false; ; await sleep(PAUSE_MS)) {
      try {
        const { succeeded, header, responses } = await this.#client.txn(body, {
          deadline,
          isOnce: true,
        });
        if (succeeded) return applied(base, text, Number(header.revision));
        const kv = responses?.[0]?.response_range?.kvs?.[0];
        const now = kv && headOf(keyValueOf(kv));
        return isOpen ? this.#fateOf(base, now, number) : conflict(now);
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        if (error.outcome !== 'unknown' && !isOpen) throw error;
        isOpen = true;
        const now = await this.#headNow(deadline);
        if (now?.revision !== base.revision) return this.#fateOf(base, now, number);
        // What etcd has answered is over: where the head does not show it, it did not happen.
        if (error.isExhausted) throw new EtcdError('rejected', error.message, error.code);
      }
    }
  }

  #body({ base, metaRevision, operations }: Transaction, text: string): object {
    return {
      compare: [
        isUnchanged(this.#keys.head, base.revision),
        // After etcd was restored from a backup, another head could have the same revision.
        hasValue(this.#keys.head, base.text),
        isUnchanged(this.#keys.meta, metaRevision),
      ],
      success: [...operations, put(this.#keys.head, text)],
      failure: [get(this.#keys.head)],
    };
  }

  async #headNow(deadline: number): Promise<StoredHead | undefined> {
    try {
      return (await this.#list.head(deadline)).head;
    } catch (error) {
      throw new UnknownOutcomeError(error instanceof Error ? error.message : String(error));
    }
  }

  /** What became of a transaction on a head that is not the last one any more. */
  #fateOf(base: StoredHead, now: StoredHead | undefined, number: number): Fate {
    if (now === undefined || now.revision < base.revision) {
      throw new UnknownOutcomeError('the store has gone back to an earlier state');
    }
    if (now.revision === base.revision) return conflict(now);
    const isApplied = wasApplied(now, this.name, number);
    if (isApplied === undefined) throw new UnknownOutcomeError('too many others have written');
    return { isApplied, revision: now.revision };
  }
}

function applied(base: StoredHead, text: string, revision: number): Fate {
  const head = { ...JSON.parse(text), text, revision, version: base.version + 1 };
  return { isApplied: true, revision, head };
}

function conflict(now: StoredHead | undefined): Fate {
  return { isApplied: false, revision: now?.revision ?? 0 };
}
