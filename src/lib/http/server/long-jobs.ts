import { clock } from '../../clock.ts';
import { FIRST_PART_BYTES } from '../messages/long-content.ts';
import { overloaded, type Problem } from '../messages/problem.ts';
import type { ContentParts } from '../messages/response.ts';
import type { Pool } from './pool.ts';
import { type Client, ClientGoneError, type Scheduler } from './scheduler.ts';

/** The number of jobs that compute at a time. */
const MAX_COMPUTING = 16;
/** The number of heavy ones among them, which take long before they have a result. */
const MAX_HEAVY = 4;

/** The maximum time that a job waits for its turn, in milliseconds. */
const MAX_WAIT_MS = 20_000;

/** A request that asks for a long result. */
export interface ResultClient extends Client {
  /**
   * Takes the memory of the first part of a result, and that of the job, until the response is sent.
   * @returns whether it did
   */
  takeResult(workingBytes: number): boolean;
  /** Gives back what a result does not need that is whole. @param bytes its length */
  endJob(bytes: number): void;
  /** Takes the memory of a request that waits. @returns whether it did */
  takeWait(): boolean;
  /** Gives it back. */
  endWait(): void;
  /** Sets the function that ends its wait; without a reason, the client has gone. */
  onAbandon(abandon: (reason?: Problem) => void): void;
}

/** A job that waits for its turn. */
interface WaitingJob {
  readonly client: ResultClient;
  readonly workingBytes: number;
  /** When its wait began, by `clock.now()`. */
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: (reason: Error) => void;
}

/**
 * Runs jobs with long results, such as searches (README: "Long work"). Few compute at a time, and
 * each takes the memory of its result first. The others wait in order, and hold nothing but their
 * request. Heavy jobs are fewer, and do not hold up the others while they wait for a place.
 */
export class LongJobs {
  readonly #scheduler: Scheduler;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<WaitingJob>();
  #computing = 0;
  #heavy = 0;

  /** @param results the memory that clients take @param maxWaiting the maximum number that wait */
  constructor(scheduler: Scheduler, results: Pool, maxWaiting: number) {
    this.#scheduler = scheduler;
    this.#maxWaiting = maxWaiting;
    results.onFree = () => this.#beginNext();
  }

  /** The memory for which jobs wait, and for nothing else, in bytes. */
  get lackingBytes(): number {
    let bytes = 0;
    for (const { workingBytes } of this.#waiting) {
      if (this.#hasSlot(workingBytes > 0)) bytes += FIRST_PART_BYTES + workingBytes;
    }
    return bytes;
  }

  /**
   * Makes a job and runs it, until its first part is made.
   * @param workingBytes the memory that a heavy job takes besides its result; 0 for any other
   * @throws Problem `overloaded` if it would wait for too long
   */
  async run<W extends ContentParts>(
    make: () => W,
    client: ResultClient,
    workingBytes: number,
  ): Promise<W> {
    const isHeavy = workingBytes > 0;
    if (this.#mustWait(isHeavy) || !this.#begin(client, workingBytes)) {
      if (!client.takeWait()) throw overloaded('waiting', 'Too many requests are waiting');
      // A search with a short result needs no memory, so it does not wait for its turn.
      const short = isHeavy ? undefined : await this.#scheduler.tryShort(make, client);
      if (short !== undefined) {
        client.endWait();
        return short;
      }
      await this.#waitForTurn(client, workingBytes);
    }
    try {
      const job = make();
      await this.#scheduler.run(job, client);
      if (job.isLast) client.endJob(job.isShort ? 0 : job.part.length);
      return job;
    } finally {
      this.#computing--;
      if (isHeavy) this.#heavy--;
      this.#beginNext();
    }
  }

  /** Refuses jobs that have waited for too long. @param now by `clock.now()` */
  check(now: number): void {
    for (const { since, refuse } of this.#waiting) {
      if (now - since < MAX_WAIT_MS) return;
      refuse(overloaded('results', 'Too many long responses are being made and read'));
    }
  }

  /** Whether one more job may compute, as far as their number goes. */
  #hasSlot(isHeavy: boolean): boolean {
    return this.#computing < MAX_COMPUTING && !(isHeavy && this.#heavy >= MAX_HEAVY);
  }

  /** Whether waiting jobs come first. A light job passes heavy ones. */
  #mustWait(isHeavy: boolean): boolean {
    for (const { workingBytes } of this.#waiting) if (isHeavy || workingBytes === 0) return true;
    return false;
  }

  /** Begins the job of a client if it has a slot and memory. @returns whether it did */
  #begin(client: ResultClient, workingBytes: number): boolean {
    const isHeavy = workingBytes > 0;
    const mayBegin = this.#hasSlot(isHeavy) && client.takeResult(workingBytes);
    if (mayBegin) this.#computing++;
    if (mayBegin && isHeavy) this.#heavy++;
    return mayBegin;
  }

  /** Waits until `#beginNext` has begun the job. @throws Problem `overloaded`, ClientGoneError */
  #waitForTurn(client: ResultClient, workingBytes: number): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) {
      throw overloaded('results', 'Too many long requests are waiting');
    }
    return new Promise((resolve, reject) => {
      const refuse = (reason?: Error) => {
        if (!this.#waiting.delete(waiting)) return;
        client.endWait();
        reject(reason ?? new ClientGoneError());
      };
      const waiting = { client, workingBytes, since: clock.now(), begin: resolve, refuse };
      client.onAbandon(refuse);
      this.#waiting.add(waiting);
      // While it was tried as a short one, all others may have ended.
      this.#beginNext();
    });
  }

  /** Begins the jobs that wait, in order, until one lacks memory. */
  #beginNext(): void {
    for (const waiting of this.#waiting) {
      const { client, workingBytes, begin } = waiting;
      if (!this.#hasSlot(workingBytes > 0)) continue;
      if (!this.#begin(client, workingBytes)) return;
      this.#waiting.delete(waiting);
      client.endWait();
      begin();
    }
  }
}
