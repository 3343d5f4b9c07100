import { sleep } from '../../clock.ts';
import type { EtcdClient } from '../etcd/client.ts';
import { EtcdError } from '../etcd/error.ts';
import { get, hasValue, isUnchanged, keyValueOf, put } from '../etcd/messages.ts';
import { type Head, headOf, nextHead, type StoredHead, wasApplied } from '../stored/commit-head.ts';
import type { Keys } from '../stored/keys.ts';
import type { StoredList } from '../stored/stored-list.ts';

/** How long to wait before sending a transaction again, in milliseconds. */
const PAUSE_MS = 20;

/** It cannot be determined whether a transaction has been applied. */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownOutcomeError';
}

/** What became of a transaction. */
export type WriteOutcome =
  /** It shows from the revision on. Its head is unknown if the response was lost. */
  | { readonly isApplied: true; readonly revision: number; readonly head?: StoredHead }
  /** Another one came first. Make a new one on the state of the revision. */
  | { readonly isApplied: false; readonly revision: number };

/** A transaction that must follow the one with the head `base`. */
export interface Transaction {
  readonly base: StoredHead;
  readonly metaRevision: number;
  readonly operations: readonly object[];
  readonly head: Omit<Head, 'writers'>;
  /** When to give up, by `clock.now()`. */
  readonly deadline: number;
}

/**
 * Sends transactions one after the other. Each is applied at most once, however often it has to be
 * sent, because it compares the head before it. Its own head has the writer's name and a number.
 * These tell whether it was applied if the response was lost.
 */
export class HeadWriter {
  /** Distinguishes this writer from every other, even from the same process before a restart. */
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
   * Sends a transaction until its outcome is known.
   * @throws UnknownOutcomeError
   * @throws EtcdError if nothing has happened
   */
  async write(transaction: Transaction): Promise<WriteOutcome> {
    const { base, deadline } = transaction;
    const number = ++this.#number;
    const text = JSON.stringify(nextHead(base, this.name, number, transaction.head));
    const body = this.#body(transaction, text);
    for (let isUncertain = false; ; await sleep(PAUSE_MS)) {
      try {
        const { succeeded, header, responses } = await this.#client.txn(body, {
          deadline,
          atMostOnce: true,
        });
        if (succeeded) return applied(base, text, Number(header.revision));
        const kv = responses?.[0]?.response_range?.kvs?.[0];
        const now = kv && headOf(keyValueOf(kv));
        return isUncertain ? this.#outcomeOf(base, now, number) : conflict(now);
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        if (error.outcome !== 'unknown' && !isUncertain) throw error;
        isUncertain = true;
        const now = await this.#headNow(deadline);
        if (now?.revision !== base.revision) return this.#outcomeOf(base, now, number);
        // etcd has ended this attempt. The head does not show it, so nothing has happened.
        if (error.isExhausted) throw new EtcdError('rejected', error.message, error.code);
      }
    }
  }

  #body({ base, metaRevision, operations }: Transaction, text: string): object {
    return {
      compare: [
        isUnchanged(this.#keys.head, base.revision),
        // After a restore from a backup, a different head may have the same revision.
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

  /** What became of a transaction, according to the head `now`, which has replaced its base. */
  #outcomeOf(base: StoredHead, now: StoredHead | undefined, number: number): WriteOutcome {
    if (now === undefined || now.revision < base.revision) {
      throw new UnknownOutcomeError('the store has gone back to an earlier state');
    }
    if (now.revision === base.revision) return conflict(now);
    const isApplied = wasApplied(now, this.name, number);
    if (isApplied === undefined) throw new UnknownOutcomeError('too many others have written');
    return { isApplied, revision: now.revision };
  }
}

function applied(base: StoredHead, text: string, revision: number): WriteOutcome {
  const head = { ...JSON.parse(text), text, revision, version: base.version + 1 };
  return { isApplied: true, revision, head };
}

function conflict(now: StoredHead | undefined): WriteOutcome {
  return { isApplied: false, revision: now?.revision ?? 0 };
}
