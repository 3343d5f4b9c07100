import {
  type Handler,
  isMisdirected,
  isPreflight,
  type Middleware,
  NO_RESPONSE,
  type Request,
  type Response,
} from '../../lib/http/index.ts';
import { Waits } from '../../lib/waits.ts';
import { isExempt } from '../exempt-paths.ts';
import type { Fault, ListedFault } from './fault.ts';
import { hasFields } from './header-fields.ts';
import { injectedResponse } from './injected-response.ts';
import { isInScope } from './scope.ts';

interface CountedFault {
  readonly fault: Fault;
  matches: number;
  hits: number;
}

/** The current faults. Of those that match a request, the first one that hits it is applied. */
export class Faults {
  #faults: readonly CountedFault[] = [];
  #delays = new Waits();
  readonly #checkReset: (request: Request) => void;

  /** @param checkReset throws the problem of a request from before the last reset */
  constructor(checkReset: (request: Request) => void) {
    this.#checkReset = checkReset;
  }

  /** All faults with their hits, including faults that have ended. */
  get list(): readonly ListedFault[] {
    return this.#faults.map(({ fault, hits }) => ({ ...fault, hits }));
  }

  /** Replaces all faults, and ends the delays of the previous ones. */
  set(faults: readonly Fault[]): void {
    this.#faults = faults.map((fault) => ({ fault, matches: 0, hits: 0 }));
    // After a stop, no request is delayed.
    if (this.#delays.hasEnded) return;
    this.#delays.end();
    this.#delays = new Waits();
  }

  /** Whether a request matches a fault. `skip`, `rate` and `times` may still prevent a hit. */
  mayHit(request: Request): boolean {
    return (
      !isExempt(request.localPath) && this.#faults.some(({ fault }) => isMatch(fault, request))
    );
  }

  /** Ends all present and future delays. */
  stop(): void {
    this.#delays.end();
  }

  readonly middleware: Middleware = (next) => (request) => {
    if (isExempt(request.localPath) || isMisdirected(request)) return next(request);
    const hit = this.#faults.find((counted) => countHit(counted, request));
    return hit === undefined ? next(request) : this.#apply(hit.fault, next, request);
  };

  async #apply(fault: Fault, next: Handler, request: Request): Promise<Response> {
    const { delayMs, abort, status } = fault;
    if (delayMs !== undefined) {
      await this.#delays.sleep(delayMs, request);
      this.#checkReset(request);
    }
    if (abort === 'before') return NO_RESPONSE;
    if (abort === 'reset') return { ...NO_RESPONSE, abort };
    const response =
      status === undefined ? await next(request) : injectedResponse(status, fault, request);
    if (abort === 'after') return NO_RESPONSE;
    // Empty content has no half, and is sent as it is.
    const isTruncated = abort === 'truncate' && response.content !== '';
    return isTruncated ? { ...response, isTruncated } : response;
  }
}

/** Counts a request that a fault matches or hits. @returns whether it hits */
function countHit(counted: CountedFault, request: Request): boolean {
  const { fault, matches, hits } = counted;
  const { skip = 0, rate = 1, times = Number.POSITIVE_INFINITY } = fault;
  if (!isMatch(fault, request)) return false;
  counted.matches++;
  const isHit = matches >= skip && hits < times && (rate === 1 || Math.random() < rate);
  if (isHit) counted.hits++;
  return isHit;
}

/** Whether a request meets all conditions of a fault. */
function isMatch(fault: Fault, request: Request): boolean {
  const { method, requestHeaders = {} } = fault;
  // A preflight is not a request of the client's code.
  if (method === undefined && isPreflight(request)) return false;
  return isInScope(fault, request) && hasFields(requestHeaders, request);
}
