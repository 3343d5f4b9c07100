import type { Handler, Middleware, Request, Response } from '../../../lib/http/index.ts';
import { Waits } from '../../../lib/waits.ts';
import type { Fault, ListedFault } from './fault.ts';
import { type FaultMembers, matchesFault } from './fault-members.ts';
import { respond } from './injected-response.ts';

interface CountedFault {
  readonly fault: Fault;
  /** How many requests matched. */
  matches: number;
  hits: number;
}

/** The faults in force. Of those that match a request, the first one that hits is applied. */
export class Faults {
  readonly #members: FaultMembers;
  readonly #checkReset: (request: Request) => void;
  #faults: readonly CountedFault[] = [];
  #delays = new Waits();

  /** @param checkReset throws the problem of a request from before the last reset */
  constructor(members: FaultMembers, checkReset: (request: Request) => void) {
    this.#members = members;
    this.#checkReset = checkReset;
  }

  /** All faults with their hits, also those that have ended. */
  get list(): readonly ListedFault[] {
    return this.#faults.map(({ fault, hits }) => ({ ...fault, hits }));
  }

  /** Replaces all faults, and ends the delays of the previous ones. */
  set(faults: readonly Fault[]): void {
    this.#faults = faults.map((fault) => ({ fault, matches: 0, hits: 0 }));
    if (this.#delays.hasEnded) return;
    this.#delays.end();
    this.#delays = new Waits();
  }

  /** Ends all delays, also those of later requests. */
  stop(): void {
    this.#delays.end();
  }

  readonly middleware: Middleware = (next) => (request) => {
    const fault = this.#hitBy(request);
    return fault === undefined ? next(request) : this.#apply(fault, request, next);
  };

  /** The first fault that matches a request and hits; undefined if none does. */
  #hitBy(request: Request): Fault | undefined {
    for (const counted of this.#faults) {
      const { fault, hits } = counted;
      const { rate = 1, skip = 0, times = Number.POSITIVE_INFINITY } = fault;
      if (hits >= times || !matchesFault(this.#members, fault, request)) continue;
      if (counted.matches++ < skip || Math.random() >= rate) continue;
      counted.hits++;
      return fault;
    }
    return undefined;
  }

  async #apply(fault: Fault, request: Request, next: Handler): Promise<Response> {
    if (fault.delayMs !== undefined) {
      await this.#delays.sleep(fault.delayMs, request);
      this.#checkReset(request);
    }
    return respond(fault, request, next);
  }
}
