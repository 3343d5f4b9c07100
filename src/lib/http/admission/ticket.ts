import type { Steps } from '../../steps.ts';
import { overloaded, type Problem } from '../messages/problem.ts';
import type { WaitOptions } from '../messages/request.ts';
import type { ContentParts } from '../messages/response.ts';
import { type Admission, PERMIT_BYTES, PLACE_BYTES } from './admission.ts';
import { ClientGoneError, isShortResult, type Scheduler, type TaskOwner } from './scheduler.ts';

/** The longest wait for permits, in milliseconds. */
const MAX_WAIT_MS = 20_000;

/** The longest wait of a request whose content is not read meanwhile: less than `requestTimeout`. */
export const MAX_UNREAD_MS = 8_000;

/** The processor time and the memory that the requests of a server share. */
export interface Capacity {
  readonly scheduler: Scheduler;
  readonly admission: Admission;
  /** Has the one permit for the contents of routes that need no other. */
  readonly oneByOne: Admission;
}

/** The request that has a ticket. */
interface Holder {
  /** The length of target, header section and content, in bytes. */
  readonly length: number;
  readonly isDisconnected: boolean;
}

/**
 * What a request takes of its server: permits, places, and time of the event loop. It gives back all
 * of it at its end at the latest.
 */
export class Ticket implements TaskOwner {
  readonly #capacity: Capacity;
  readonly #holder: Holder;
  /** Where its permits come from. */
  #admission: Admission;
  removeTask: (() => void) | undefined;
  /** Whether the request has changed something. Then nothing refuses or cancels it. */
  hasWritten = false;
  #hasEnded = false;
  #permits = 0;
  #places = 0;
  /** The long result for which it has permits. */
  #result: ContentParts | undefined;
  /** Ends its wait with an error. */
  #abandon: ((error: Error) => void) | undefined;
  /** Why its work was cancelled. */
  #cancellation: Problem | undefined;

  constructor(capacity: Capacity, holder: Holder) {
    this.#capacity = capacity;
    this.#holder = holder;
    this.#admission = capacity.admission;
  }

  /** From now on, it takes the one permit of routes that are `isOneByOne`, instead of others. */
  useOneByOne(): void {
    this.#admission = this.#capacity.oneByOne;
  }

  /** Whether it has permits of an admission. */
  isHolding(admission: Admission): boolean {
    return this.#permits > 0 && this.#admission === admission;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The permits that it has taken. */
  get permits(): number {
    return this.#permits;
  }

  /**
   * Takes permits, or waits for them, with places. A request that has permits needs no others.
   * @param maxWaitMs the longest wait
   * @throws Problem `overloaded` if there are no places, or after the longest wait; ClientGoneError
   */
  async takePermits(permits = 1, maxWaitMs = MAX_WAIT_MS): Promise<void> {
    if (permits <= this.#permits || this.takeFreePermits(permits)) return;
    const wanted = Math.min(permits, this.#admission.permits);
    this.takePlaces();
    try {
      await this.#admission.wait(wanted, maxWaitMs, (abandon) => {
        this.#abandon = abandon;
      });
    } finally {
      this.#abandon = undefined;
      this.giveBackPlaces();
    }
    this.#permits = wanted;
    // Its connection may have closed in the turn in which the permits came.
    if (this.#hasEnded) this.#giveBackPermits();
    this.throwIfCancelled();
  }

  /** Gives back the permits that it has, and takes others if so many are free. @returns whether they were */
  takeFreePermits(permits: number): boolean {
    const wanted = Math.min(permits, this.#admission.permits);
    this.#giveBackPermits();
    const isTaken = this.#admission.take(wanted);
    if (isTaken) this.#permits = wanted;
    return isTaken;
  }

  /** Takes the permits for a response that the system has not taken, even if too few are free. */
  overdraw(bytes: number): void {
    const lacking = Math.ceil(bytes / PERMIT_BYTES) - this.#permits;
    if (lacking <= 0) return;
    this.#permits += lacking;
    this.#admission.overdraw(lacking);
  }

  #giveBackPermits(): void {
    const permits = this.#permits;
    this.#permits = 0;
    if (permits > 0) this.#admission.giveBack(permits);
  }

  /**
   * Takes the places of a request that waits.
   * @param bytes the memory that it keeps besides itself
   * @throws Problem `overloaded` if there are too few
   */
  takePlaces(bytes = 0): void {
    const places = Math.ceil(Math.max(1, this.#holder.length + bytes) / PLACE_BYTES);
    if (!this.#capacity.admission.takePlaces(places)) {
      throw overloaded('places', 'Too many requests are waiting');
    }
    this.#places += places;
  }

  giveBackPlaces(): void {
    const places = this.#places;
    this.#places = 0;
    if (places > 0) this.#capacity.admission.giveBackPlaces(places);
  }

  /** Runs steps as `Request.run` does. */
  run<R>(steps: Steps<unknown, R>): Promise<R> {
    return this.#capacity.scheduler.run(steps, this);
  }

  /** Runs work with a long result as `Request.runLong` does. */
  async runLong<W extends ContentParts>(make: () => W, workingBytes: number): Promise<W> {
    const { scheduler } = this.#capacity;
    const permits = 1 + Math.ceil(workingBytes / PERMIT_BYTES);
    if (permits > this.#permits && !this.takeFreePermits(permits)) {
      // A short result, which is there soon, needs no permit.
      const short = workingBytes > 0 ? undefined : await scheduler.tryShort(make, this);
      if (short !== undefined) return short;
      await this.takePermits(permits);
    }
    const job = make();
    await this.run(job);
    if (isShortResult(job)) this.#giveBackPermits();
    else this.#result = job;
    return job;
  }

  /** Waits as `Request.wait` does. */
  async wait(
    end: Promise<void>,
    { bytes = 0, isWrite = false, keepsResult = false }: WaitOptions = {},
  ): Promise<void> {
    this.throwIfCancelled();
    this.hasWritten ||= isWrite;
    const permits = this.#permits;
    if (!keepsResult) {
      this.#result?.restart();
      this.#giveBackPermits();
    }
    try {
      this.takePlaces(bytes);
    } catch (error) {
      if (!this.hasWritten) throw error;
    }
    await Promise.race([end, this.#abandonment()]);
    this.#abandon = undefined;
    this.giveBackPlaces();
    this.throwIfCancelled();
    if (permits === 0 || isWrite || keepsResult) return;
    await this.takePermits(permits);
    if (this.#result !== undefined) await this.run(this.#result);
  }

  /** Frees its long result, of which no more is sent, and gives its permits back. */
  dropResult(): void {
    this.#result?.close?.();
    this.#result = undefined;
    this.#giveBackPermits();
  }

  #abandonment(): Promise<void> {
    return new Promise((resolve) => {
      this.#abandon = () => resolve();
    });
  }

  /** @throws ClientGoneError if the client has gone, or the problem with which its work was cancelled */
  throwIfCancelled(): void {
    if (this.#holder.isDisconnected) throw new ClientGoneError();
    if (this.#cancellation !== undefined) throw this.#cancellation;
  }

  /** Ends its wait, if it waits. */
  abandon(error: Error): void {
    this.#abandon?.(error);
  }

  /** Ends its waits and its work with a problem, unless it has changed something. */
  cancel(problem: Problem): void {
    if (this.hasWritten) return;
    this.#cancellation = problem;
    this.abandon(problem);
  }

  /** Event: the response was sent, or the connection has closed. */
  end(): void {
    this.#hasEnded = true;
    // Now, not when the scheduler comes to the task, because many clients may disconnect at once.
    this.removeTask?.();
    // The error is made only if the request waits, because its stack takes 10 µs.
    this.#abandon?.(new ClientGoneError());
    this.giveBackPlaces();
    this.#giveBackPermits();
    this.#result = undefined;
  }
}
