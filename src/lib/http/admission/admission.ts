import { clock } from '../../clock.ts';
import { overloaded, type Problem } from '../messages/problem.ts';
import { Queue } from './queue.ts';

/** The memory that a permit stands for, in bytes. */
export const PERMIT_BYTES = 512 * 1024;

/** The memory that a place stands for, in bytes: a request with a short header section. */
export const PLACE_BYTES = 4 * 1024;

/** A request in the queue. */
interface Waiter {
  /** The permits that it waits for; 0 if it no longer waits. */
  permits: number;
  /** The end of its time in the queue, by `clock.now()`. */
  readonly end: number;
  begin: () => void;
  refuse: (problem: Problem) => void;
}

/**
 * Bounds the memory of all requests together, by two numbers (README: "Admission"). A request needs
 * permits for what is long, and places to wait. Requests that lack permits wait in one queue, in
 * order. A request in the queue has no permits, so those that have some always go on.
 */
export class Admission {
  /** All permits, those that are taken included. */
  readonly permits: number;
  readonly #places: number;
  /** Negative while responses that nobody reads have taken more than there are. */
  #freePermits: number;
  #freePlaces: number;
  readonly #queue = new Queue<Waiter>();
  /** The permits that the queue waits for. */
  #wanted = 0;

  constructor(permits: number, places: number) {
    this.permits = permits;
    this.#places = places;
    this.#freePermits = permits;
    this.#freePlaces = places;
  }

  get takenPermits(): number {
    return this.permits - this.#freePermits;
  }

  get takenPlaces(): number {
    return this.#places - this.#freePlaces;
  }

  /** The permits that the queue waits for, and that are not free. */
  get lacking(): number {
    return this.#wanted === 0 ? 0 : this.#wanted - this.#freePermits;
  }

  /** Takes permits, unless too few are free, or others wait for some. @returns whether it did */
  take(permits: number): boolean {
    const isFree = this.#wanted === 0 && permits <= this.#freePermits;
    if (isFree) this.#freePermits -= permits;
    return isFree;
  }

  /** Takes permits although too few may be free, for a response that the system has not taken. */
  overdraw(permits: number): void {
    this.#freePermits -= permits;
  }

  giveBack(permits: number): void {
    this.#freePermits += permits;
    this.#beginNext();
  }

  /** Takes places. @returns whether there were as many */
  takePlaces(places: number): boolean {
    const isFree = places <= this.#freePlaces;
    if (isFree) this.#freePlaces -= places;
    return isFree;
  }

  giveBackPlaces(places: number): void {
    this.#freePlaces += places;
  }

  /**
   * Waits until permits are free, and takes them.
   * @param ms the longest wait
   * @param onAbandon receives a function that ends the wait with an error
   * @throws Problem `overloaded` after the longest wait, or the error of the function
   */
  wait(
    permits: number,
    ms: number,
    onAbandon: (abandon: (error: Error) => void) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        permits,
        end: clock.now() + ms,
        begin: resolve,
        refuse: (problem) => end(problem),
      };
      const end = (error: Error) => {
        if (waiter.permits === 0) return;
        this.#release(waiter);
        reject(error);
        this.#beginNext();
      };
      this.#wanted += permits;
      this.#queue.push(waiter);
      onAbandon(end);
    });
  }

  /** Refuses requests that have waited for too long. @param now by `clock.now()` */
  check(now: number): void {
    const late = [...this.#queue].filter(({ end }) => now >= end);
    const problem = overloaded('permits', 'The service is busy with long requests');
    for (const { refuse } of late) refuse(problem);
  }

  /** Begins the requests at the head of the queue that have their permits. */
  #beginNext(): void {
    for (let next = this.#queue.first; next !== undefined; next = this.#queue.first) {
      const { permits, begin } = next;
      if (permits > this.#freePermits) return;
      this.#queue.shift();
      if (permits === 0) continue;
      this.#release(next);
      this.#freePermits -= permits;
      begin();
    }
  }

  /** Ends a wait. The waiter stays in the queue until it is the first, without what it refers to. */
  #release(waiter: Waiter): void {
    this.#wanted -= waiter.permits;
    waiter.permits = 0;
    waiter.begin = () => {};
    waiter.refuse = () => {};
  }
}
