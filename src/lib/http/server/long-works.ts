import { clock } from '../../clock.ts';
import { overloaded, type Problem } from '../messages/problem.ts';
import type { ContentParts } from '../messages/response.ts';
import type { Pool } from './pool.ts';
import { type Client, ClientGoneError, type Scheduler } from './scheduler.ts';

/** The number of works that compute at a time. Each may hold as much as a list that it sorts. */
const MAX_COMPUTING = 4;

/** How long a work waits for its turn, in milliseconds. */
const MAX_WAIT_MS = 20_000;

/** A request that asks for a long result. */
export interface ResultClient extends Client {
  /** Takes the memory of the result, which it gives back at its end. @returns whether it did */
  takeResult(): boolean;
  /** Gives back what the result does not need. */
  shrinkResult(bytes: number): void;
  /** Sets the function that ends its wait, with the reason if there is one. */
  onAbandon(abandon: (reason?: Problem) => void): void;
}

interface Waiting {
  readonly client: ResultClient;
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: (reason: Error) => void;
}

/**
 * The works with long results (README: "Long work"). Few compute at a time, and each takes the memory
 * of its result first. The others wait in order, and hold nothing but their request.
 */
export class LongWorks {
  readonly #scheduler: Scheduler;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<Waiting>();
  #computing = 0;

  constructor(scheduler: Scheduler, results: Pool, maxWaiting: number) {
    this.#scheduler = scheduler;
    this.#maxWaiting = maxWaiting;
    results.onFree = () => this.#beginNext();
  }

  /** The number of works that only wait for memory, because fewer than may compute do. */
  get lackingMemory(): number {
    return this.#computing < MAX_COMPUTING ? this.#waiting.size : 0;
  }

  /**
   * Makes a work and runs it, until its first part is made.
   * @param isHeavy whether to wait although the result may be short
   * @throws Problem `overloaded` if it would wait for too long
   */
  async run<W extends ContentParts>(
    make: () => W,
    client: ResultClient,
    isHeavy: boolean,
  ): Promise<W> {
    if (this.#waiting.size > 0 || !this.#mayBegin(client)) {
      const short = isHeavy ? undefined : this.#scheduler.tryShort(make);
      if (short !== undefined) return short;
      await this.#turn(client);
    }
    try {
      const work = make();
      await this.#scheduler.run(work, client);
      if (work.isLast) client.shrinkResult(work.isShort ? 0 : work.part.length);
      return work;
    } finally {
      this.#computing--;
      this.#beginNext();
    }
  }

  /** Refuses works that have waited for too long. @param now by `clock.now()` */
  check(now: number): void {
    for (const { since, refuse } of this.#waiting) {
      if (now - since < MAX_WAIT_MS) return;
      refuse(overloaded('results', 'Too many long responses are being made and read'));
    }
  }

  #mayBegin(client: ResultClient): boolean {
    const mayBegin = this.#computing < MAX_COMPUTING && client.takeResult();
    if (mayBegin) this.#computing++;
    return mayBegin;
  }

  #turn(client: ResultClient): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) {
      throw overloaded('results', 'Too many long requests are waiting');
    }
    return new Promise((resolve, reject) => {
      const leave = () => this.#waiting.delete(waiting);
      const refuse = (reason: Error) => {
        if (leave()) reject(reason);
      };
      const waiting = { client, since: clock.now(), begin: resolve, refuse };
      client.onAbandon((reason) => refuse(reason ?? new ClientGoneError()));
      this.#waiting.add(waiting);
    });
  }

  #beginNext(): void {
    for (const waiting of this.#waiting) {
      if (!this.#mayBegin(waiting.client)) return;
      this.#waiting.delete(waiting);
      waiting.begin();
    }
  }
}
