import { isPreflight, type Request } from '../../lib/http/index.ts';
import { matchesFields, matchesTarget, type PatternSubject } from '../admin/request-matching.ts';
import { faultJson, type StoredFault, valueOfText } from './stored-fault.ts';

/** A fault of a list, and how often it has matched and hit. */
export class CountedFault {
  readonly fault: StoredFault;
  #matches = 0;
  #hits = 0;

  constructor(fault: StoredFault) {
    this.fault = fault;
  }

  /** Whether it decides the outcome of a request. */
  get hasOutcome(): boolean {
    return this.fault.status !== undefined || this.fault.abort !== undefined;
  }

  /** Whether it patches content. An empty patch has no effect. */
  get isPatch(): boolean {
    const { contentPatch = '{}' } = this.fault;
    return contentPatch !== '{}';
  }

  /** Whether it may hit once more. */
  get isLeft(): boolean {
    return this.#hits < (this.fault.times ?? Number.POSITIVE_INFINITY);
  }

  /** The JSON text of the fault with its hits. */
  get json(): string {
    return faultJson(this.fault, this.#hits);
  }

  /** Whether a request meets all conditions. `skip`, `rate` and `times` may still prevent a hit. */
  isMatch(request: Request, subject: PatternSubject): boolean {
    const { method, path, route, requestHeaders, query } = this.fault;
    // A preflight is not a request of the client's code.
    if (method === undefined && isPreflight(request)) return false;
    if (!matchesTarget({ method, path, route }, subject)) return false;
    const fields = {
      requestHeaders: valueOfText(requestHeaders, {}),
      query: valueOfText(query, {}),
    };
    return matchesFields(fields, subject);
  }

  /** Counts a match. @returns whether the fault hits */
  countMatch(): boolean {
    const { skip = 0, rate = 1 } = this.fault;
    const isNext = this.#matches++ >= skip && this.isLeft;
    return isNext && (rate === 1 || Math.random() < rate);
  }

  /** Counts a hit, or takes one back. */
  countHit(change: 1 | -1 = 1): void {
    this.#hits += change;
  }
}
