import { clock } from '../../../lib/clock.ts';
import type { Handler, Middleware, Problem, Request, Response } from '../../../lib/http/index.ts';
import { Waits } from '../../../lib/waits.ts';
import type { Fault, ListedFault } from './fault.ts';
import { isWithin } from './matching.ts';
import { atRate, respond } from './outcome.ts';

interface Counted {
  readonly fault: Fault;
  /** When it ends, by `clock.now()`. */
  readonly end: number;
  passed: number;
  hits: number;
}

const DELAY: readonly (keyof Fault)[] = ['delayMs', 'jitterMs'];
const OUTCOME: readonly (keyof Fault)[] = ['status', 'headers', 'content', 'abort'];
const PARTS = [DELAY, ['bytesPerSecond'] as const, OUTCOME];

/** The faults in force. Of those that hit a request, the first of each part counts. */
export class Faults {
  #faults: readonly Counted[] = [];
  #waits = new Waits();

  /** All faults, also those that have ended: with the seconds they have left, and their hits. */
  get list(): readonly ListedFault[] {
    const now = clock.now();
    return this.#faults.map(({ fault, end, hits }) => {
      const seconds = Math.max(0, Math.round(end - now)) / 1000;
      return { ...fault, ...(fault.seconds !== undefined && { seconds }), hits };
    });
  }

  /** Replaces all faults. What waits because of one goes on, unless there is a reason not to. */
  set(faults: readonly Fault[], reason?: Problem): void {
    const now = clock.now();
    this.#faults = faults.map((fault) => {
      const end = now + 1000 * (fault.seconds ?? Number.POSITIVE_INFINITY);
      return { fault, end, passed: 0, hits: 0 };
    });
    if (this.#waits.hasEnded) return;
    this.#waits.end(reason);
    this.#waits = new Waits();
  }

  /** Ends all delays, those of later requests, too. */
  stop(): void {
    this.#waits.end();
  }

  /** Goes outside of the routes, so that a request that is hit does nothing. */
  readonly middleware: Middleware = (next) => (request) => {
    const plan = this.#planFor(request);
    return Object.keys(plan).length === 0 ? next(request) : this.#carryOut(plan, request, next);
  };

  /** Each fault that fits and hits does its parts, unless another has done them before. */
  #planFor(request: Request): Fault {
    const now = clock.now();
    let plan: Fault = {};
    for (const counted of this.#faults) {
      const { fault, end, hits } = counted;
      const { rate = 1, skip = 0, times = Number.POSITIVE_INFINITY } = fault;
      if (end <= now || hits >= times || !isWithin(fault, request)) continue;
      const parts = PARTS.filter((part) => has(fault, part) && !has(plan, part));
      if (parts.length === 0 || counted.passed++ < skip || Math.random() >= rate) continue;
      counted.hits++;
      const members = parts.flat().map((name) => [name, fault[name]] as const);
      plan = { ...plan, ...Object.fromEntries(members) };
      if (has(plan, OUTCOME)) break;
    }
    return plan;
  }

  async #carryOut(plan: Fault, request: Request, next: Handler): Promise<Response> {
    const { delayMs = 0, jitterMs = 0, bytesPerSecond } = plan;
    const waits = this.#waits;
    if (has(plan, DELAY)) await waits.sleep(delayMs + jitterMs * Math.random(), request);
    const response = await respond(plan, request, next);
    if (bytesPerSecond === undefined) return response;
    return { ...response, delivery: { ...response.delivery, ...atRate(bytesPerSecond, waits) } };
  }
}

function has(fault: Fault, part: readonly (keyof Fault)[]): boolean {
  return part.some((name) => fault[name] !== undefined);
}
