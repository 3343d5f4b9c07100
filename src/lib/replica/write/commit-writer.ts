import { clock, sleep } from '../../clock.ts';
import { Waits } from '../../waits.ts';
import { EtcdError, StoreError, UnknownOutcomeError, UnreadableError } from '../errors.ts';
import { get, hasValue, isUnchanged, type OperationMessage, put } from '../etcd/json.ts';
import type { FollowerEvents } from '../read/etcd-follower.ts';
import {
  type CommitHead,
  headOf,
  nextHead,
  type StoredHead,
  textOfHead,
  wasApplied,
} from '../stored/commit-head.ts';
import type { StoredList } from '../stored/stored-list.ts';

/** How long to wait before sending a transaction again, in milliseconds. */
const PAUSE_MS = 20;

/** A writer that has written within this time, in milliseconds, is likely to write again. */
const RECENT_MS = 1_000;

/** The longest time to wait for others to write, in milliseconds. */
const MAX_TURNS_MS = 100;

interface WriteOutcome {
  /** If not, it never will be: another one has come first. */
  readonly isApplied: boolean;
  /** Its own head if it is, else the one that tells so. */
  readonly head: StoredHead;
}

/** A transaction that must follow the one with the head `base`. */
export interface UnsentTransaction {
  readonly base: StoredHead;
  readonly metaRevision: number;
  /** What must hold besides; if it does not, it never will. */
  readonly compare?: readonly object[];
  readonly operations: readonly OperationMessage[];
  readonly head: Omit<CommitHead, 'writers' | 'histories'>;
  /** When to give up, by `clock.now()`. */
  readonly deadline: number;
}

/**
 * Sends transactions, one after the other. Each is applied at most once, however often it is sent,
 * and by whom, because it compares the head before it. Its own head has its token: the writer's
 * name and a number. What became of it is told by the token in a later head, and by nothing else:
 * a comparison that fails may have failed against the same transaction.
 */
export class CommitWriter implements FollowerEvents {
  /** Distinguishes this writer from every other, even from the same process before a restart. */
  readonly name = newName();
  #history = newName();
  readonly #list: StoredList;
  #number = 0;
  #last: Promise<unknown> = Promise.resolve();
  /** When writers have written last, the longest ago first. */
  readonly #wrote = new Map<string, number>();
  #headAt = 0;
  /** Waits for another head. */
  readonly #waits = new Waits();

  constructor(list: StoredList) {
    this.#list = list;
  }

  /** Begins another history: etcd may have been restored, and lack what others have written. */
  onFailure(): void {
    this.#history = newName();
  }

  /** Notes who has written last. */
  onHead({ writers }: CommitHead): void {
    this.#headAt = clock.now();
    const last = Object.keys(writers).at(-1);
    if (last !== undefined) {
      this.#wrote.delete(last);
      this.#wrote.set(last, this.#headAt);
    }
    this.#waits.check();
  }

  /** How many others have written lately, and longer ago than this one: they come first. */
  get turnsBefore(): number {
    const since = this.#headAt - RECENT_MS;
    for (const [writer, time] of this.#wrote) if (time < since) this.#wrote.delete(writer);
    return Math.max(0, [...this.#wrote.keys()].indexOf(this.name));
  }

  /** Waits until the writers that come first have written, for each at most some milliseconds. */
  async turn(ms: number): Promise<void> {
    for (;;) {
      const turns = this.turnsBefore;
      const left = this.#headAt + Math.min(MAX_TURNS_MS, ms * turns) - clock.now();
      if (left <= 0) return;
      await this.#waits.until(() => this.turnsBefore !== turns, left);
    }
  }

  /** Sends one until its outcome is known. @throws UnknownOutcomeError; EtcdError if not applied */
  write(transaction: UnsentTransaction): Promise<WriteOutcome> {
    // A head has the token of only the last one of each writer.
    const written = this.#last.then(() => this.#write(transaction));
    this.#last = written.catch(() => {});
    return written;
  }

  async #write(transaction: UnsentTransaction): Promise<WriteOutcome> {
    const { base, metaRevision, compare = [], operations, head, deadline } = transaction;
    const { client, keys } = this.#list;
    const number = ++this.#number;
    const body = () => ({
      compare: [
        isUnchanged(keys.head, base.revision),
        // After a restore from a backup, a different head may have the same revision.
        hasValue(keys.head, base.text),
        isUnchanged(keys.meta, metaRevision),
        ...compare,
      ],
      success: [
        ...operations,
        put(keys.head, textOfHead(nextHead(base, this.name, number, this.#history, head))),
        get(keys.head),
      ],
      failure: [get(keys.head)],
    });
    for (let isOnItsWay = false; ; await sleep(PAUSE_MS)) {
      try {
        const answer = await client.txn(body(), { deadline, atMostOnce: true });
        const now = answer.found.at(-1);
        const known = await this.#outcome(transaction, number, now && headOf(now));
        if (known !== undefined) return known;
        // The base is still current. So it was something else that has changed, for good.
        if (!answer.succeeded) return { isApplied: false, head: base };
        isOnItsWay = true;
      } catch (error) {
        if (error instanceof UnreadableError) throw unknownOutcome(error);
        if (!(error instanceof EtcdError)) throw error;
        if (error.outcome === 'unsent' && !isOnItsWay) throw error;
        // A proxy may have sent it twice: etcd may refuse what it has applied before.
        const { head: now } = await orUnknown(this.#list.head({ deadline }));
        const known = await this.#outcome(transaction, number, now);
        if (known !== undefined) return known;
        // etcd has ended the only attempt, and the head does not show it.
        if (!isOnItsWay && (error.outcome === 'rejected' || error.isExhausted)) {
          throw new EtcdError('rejected', error.message, error.kind, error.code);
        }
        isOnItsWay = true;
      }
    }
  }

  /** What became of a transaction, by the head now; undefined while it can still be applied. */
  async #outcome({ base, deadline }: UnsentTransaction, number: number, now?: StoredHead) {
    if (now?.revision === base.revision && now.text === base.text) return undefined;
    if (now === undefined || now.revision <= base.revision) {
      throw new UnknownOutcomeError('the store has gone back to an earlier state');
    }
    const isApplied = wasApplied(now, base, this.name, number);
    if (isApplied === undefined) throw new UnknownOutcomeError('too many others have written');
    if (!isApplied || now.version === base.version + 1) return { isApplied, head: now };
    return { isApplied, head: await orUnknown(this.#list.headAfter(base, now, deadline)) };
  }
}

function newName(): string {
  return crypto.randomUUID().slice(0, 13);
}

/** @throws UnknownOutcomeError instead of another StoreError */
async function orUnknown<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof StoreError ? unknownOutcome(error) : error;
  }
}

/** What to say of a transaction that may have been applied, although it has failed. */
export function unknownOutcome({ message, kind }: StoreError): UnknownOutcomeError {
  return new UnknownOutcomeError(message, kind);
}
