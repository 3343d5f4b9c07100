import { clock, sleep } from '../../../lib/clock.ts';
import {
  type Handler,
  type HeaderFields,
  isPreflight,
  type Middleware,
  NO_RESPONSE,
  Problem,
  type ProblemType,
  type Request,
  type Response,
} from '../../../lib/http/index.ts';
import { isExempt } from '../feature.ts';
import type { Fault } from './fault.ts';

/** An error that a fault has injected. */
export const INJECTED_FAULT: ProblemType = { code: 'injected-fault', title: 'Injected fault' };

/** A fault in force, or one that has ended. */
interface Counted {
  readonly fault: Fault;
  /** When it ends, by `clock.now()`. */
  readonly end: number;
  passed: number;
  hits: number;
}

/** The faults in force. The first that fits a request decides. */
export class Faults {
  #faults: readonly Counted[] = [];

  /** All faults, also those that have ended: with the seconds they have left, and their hits. */
  get list(): readonly (Fault & { readonly hits: number })[] {
    const now = clock.now();
    return this.#faults.map(({ fault, end, hits }) => {
      const seconds = Math.max(0, Math.round(end - now)) / 1000;
      return { ...fault, ...(fault.seconds !== undefined && { seconds }), hits };
    });
  }

  set(faults: readonly Fault[]): void {
    const now = clock.now();
    this.#faults = faults.map((fault) => ({
      fault,
      end: now + 1000 * (fault.seconds ?? Number.POSITIVE_INFINITY),
      passed: 0,
      hits: 0,
    }));
  }

  /** Goes outside of the routes, so that a request that is hit does nothing. */
  readonly middleware: Middleware = (next) => (request) => {
    const fault = this.#faultFor(request);
    return fault === undefined ? next(request) : this.#strike(fault, request, next);
  };

  #faultFor(request: Request): Fault | undefined {
    if (this.#faults.length === 0 || isExempt(request.path)) return undefined;
    const now = clock.now();
    for (const counted of this.#faults) {
      const { fault, end, hits } = counted;
      const { rate = 1, skip = 0, times = Number.POSITIVE_INFINITY } = fault;
      if (end <= now || hits >= times || !fits(fault, request)) continue;
      if (counted.passed++ < skip) continue;
      if (Math.random() >= rate) return undefined;
      counted.hits++;
      return fault;
    }
    return undefined;
  }

  async #strike(fault: Fault, request: Request, next: Handler): Promise<Response> {
    const { delayMs = 0, jitterMs = 0, status, headers = {}, abort = false } = fault;
    const delay = delayMs + jitterMs * Math.random();
    if (delay > 0) await request.wait(sleep(delay));
    if (abort === 'after') return lost(await next(request));
    if (abort) return NO_RESPONSE;
    if (status === undefined) return next(request);
    const detail = 'Injected by PUT /admin/faults; nothing was done';
    throw new Problem(INJECTED_FAULT, detail, { status, headers: inUsualCase(headers) });
  }
}

/** Names fields as the service names its own, so that no field is sent twice in two cases. */
function inUsualCase(headers: HeaderFields): HeaderFields {
  const usual = (name: string) =>
    name.toLowerCase().replace(/(?<![^-])[a-z]/g, (letter) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [usual(name), value] as const),
  );
}

/** A preflight is spared: a browser would not send the request that the fault is for. */
function fits({ method, path = '' }: Fault, request: Request): boolean {
  if (method !== undefined ? method !== request.method : isPreflight(request)) return false;
  return request.path.startsWith(path);
}

/** A response that its client never gets; a stream ends after its first event. */
function lost(response: Response): Response {
  const { content } = response;
  if (typeof content !== 'function') return NO_RESPONSE;
  return {
    ...response,
    content: (writer) => {
      content(writer);
      writer.end();
    },
  };
}
