import { clock } from '../../../lib/clock.ts';
import {
  type Handler,
  isPreflight,
  type Middleware,
  type Request,
  type Response,
} from '../../../lib/http/index.ts';
import type { Fault, ListedFault } from './fault.ts';
import { isWithin } from './matching.ts';
import { atRate, type Outcome, respond } from './outcome.ts';
import { Waits } from './world.ts';

/** A fault in force, or one that has ended. */
interface Counted {
  readonly fault: Fault;
  /** When it ends, by `clock.now()`. */
  readonly end: number;
  passed: number;
  hits: number;
}

/** What the faults that hit a request do to it together. */
interface Plan {
  delay?: Fault;
  bytesPerSecond?: number;
  outcome?: Outcome;
}

/** The faults in force. Of those that hit a request, the first of each part counts. */
export class Faults {
  #faults: readonly Counted[] = [];
  #waits = new Waits();
  #isStopping = false;

  /** All faults, also those that have ended: with the seconds they have left, and their hits. */
  get list(): readonly ListedFault[] {
    const now = clock.now();
    return this.#faults.map(({ fault, end, hits }) => {
      const seconds = Math.max(0, Math.round(end - now)) / 1000;
      return { ...fault, ...(fault.seconds !== undefined && { seconds }), hits };
    });
  }

  /**
   * Replaces all faults. What waits because of the former ones goes on, unless a reset replaces
   * them: then it is of the former world.
   */
  set(faults: readonly Fault[], { isReset } = { isReset: false }): void {
    const now = clock.now();
    this.#faults = faults.map((fault) => {
      const end = now + 1000 * (fault.seconds ?? Number.POSITIVE_INFINITY);
      return { fault, end, passed: 0, hits: 0 };
    });
    this.#endWaits(isReset);
  }

  /** Ends all delays, those of later requests, too. */
  stop(): void {
    this.#isStopping = true;
    this.#endWaits(false);
  }

  #endWaits(isReset: boolean): void {
    this.#waits.end({ isReset });
    this.#waits = new Waits();
    if (this.#isStopping) this.#waits.end();
  }

  /** Goes outside of the routes, so that a request that is hit does nothing. */
  readonly middleware: Middleware = (next) => (request) => {
    const plan = this.#planFor(request);
    return plan === undefined ? next(request) : this.#carryOut(plan, request, next);
  };

  /** Each fault that fits and is hit does its part, unless another has done it before. */
  #planFor(request: Request): Plan | undefined {
    const now = clock.now();
    const plan: Plan = {};
    for (const counted of this.#faults) {
      const { fault, end, hits } = counted;
      const { rate = 1, skip = 0, times = Number.POSITIVE_INFINITY } = fault;
      if (end <= now || hits >= times || !fits(fault, request)) continue;
      const more = partsOf(fault, plan);
      if (Object.keys(more).length === 0 || counted.passed++ < skip) continue;
      if (Math.random() >= rate) continue;
      counted.hits++;
      Object.assign(plan, more);
      if (plan.outcome !== undefined) break;
    }
    return Object.keys(plan).length === 0 ? undefined : plan;
  }

  async #carryOut(plan: Plan, request: Request, next: Handler): Promise<Response> {
    const { delay, bytesPerSecond, outcome = {} } = plan;
    const waits = this.#waits;
    if (delay !== undefined) {
      const { delayMs = 0, jitterMs = 0 } = delay;
      await waits.sleep(delayMs + jitterMs * Math.random(), request);
    }
    const response = await respond(outcome, request, next);
    if (bytesPerSecond === undefined) return response;
    return { ...response, delivery: { ...response.delivery, ...atRate(bytesPerSecond, waits) } };
  }
}

/** A preflight is spared: a browser would not send the request that the fault is for. */
function fits(fault: Fault, request: Request): boolean {
  return isWithin(fault, request) && (fault.method !== undefined || !isPreflight(request));
}

/** The parts of a fault that no other has done. */
function partsOf(fault: Fault, done: Plan): Plan {
  const { delayMs, jitterMs, bytesPerSecond, status, abort } = fault;
  const isDelay = delayMs !== undefined || jitterMs !== undefined;
  return {
    ...(isDelay && done.delay === undefined && { delay: fault }),
    ...(bytesPerSecond !== undefined && done.bytesPerSecond === undefined && { bytesPerSecond }),
    ...((status !== undefined || abort !== undefined) && { outcome: fault }),
  };
}
