import { clock } from '../../clock.ts';
import type { Middleware } from '../../http/core/handler.ts';
import { Problem, type ProblemType } from '../../http/core/problem.ts';
import type { Request } from '../../http/core/request.ts';
import { NO_RESPONSE, type Response } from '../../http/core/response.ts';

/** What goes wrong, and for which requests. */
export interface Fault {
  /** Any method if absent. */
  readonly method?: string;
  /** A prefix of the path; any path if absent. */
  readonly path?: string;
  /** How long a request waits, in milliseconds. */
  readonly delayMs?: number;
  /** The most to add to the delay at random, in milliseconds. */
  readonly jitterMs?: number;
  /** The share of requests to hit; all if absent. */
  readonly rate?: number;
  /** The status of the response. */
  readonly status?: number;
  /** The connection is closed without a response. */
  readonly abort?: boolean;
  /** How long it stays in force, in seconds; for ever if absent. */
  readonly seconds?: number;
}

/** An error that a fault has injected. */
export const INJECTED_FAULT: ProblemType = { code: 'injected-fault', title: 'Injected fault' };

/** Paths that are never hit: those of orchestrators, and those that remove faults. */
const EXEMPT = ['/livez', '/readyz', '/metrics', '/admin'];

/** The faults in force. The first that matches a request decides. */
export class Faults {
  #faults: readonly { readonly fault: Fault; readonly end: number }[] = [];
  readonly #random: () => number;

  /** @param random returns a number from 0 to 1 */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** The faults in force, with the seconds they have left. */
  get list(): readonly Fault[] {
    const now = clock.now();
    return this.#faults.flatMap(({ fault, end }) => {
      if (end <= now) return [];
      return fault.seconds === undefined ? [fault] : [{ ...fault, seconds: (end - now) / 1000 }];
    });
  }

  set(faults: readonly Fault[]): void {
    const now = clock.now();
    this.#faults = faults.map((fault) => ({
      fault,
      end: now + 1000 * (fault.seconds ?? Number.POSITIVE_INFINITY),
    }));
  }

  /** Goes outside of the routes, so that a request that is hit does nothing. */
  readonly middleware: Middleware = (next) => (request) => {
    const fault = this.#faultFor(request);
    return fault === undefined ? next(request) : this.#strike(fault, request, next);
  };

  /** The fault that hits a request, if any. */
  #faultFor({ method, path }: Request): Fault | undefined {
    if (this.#faults.length === 0 || isExempt(path)) return undefined;
    const now = clock.now();
    const found = this.#faults.find(
      ({ fault, end }) =>
        end > now &&
        (fault.method === undefined || fault.method === method) &&
        path.startsWith(fault.path ?? ''),
    );
    const { rate = 1 } = found?.fault ?? {};
    return this.#random() < rate ? found?.fault : undefined;
  }

  async #strike(
    { delayMs = 0, jitterMs = 0, status, abort = false }: Fault,
    request: Request,
    next: (request: Request) => Response | Promise<Response>,
  ): Promise<Response> {
    const delay = delayMs + jitterMs * this.#random();
    if (delay > 0) await request.wait(delay);
    if (abort) return NO_RESPONSE;
    if (status === undefined) return next(request);
    throw new Problem(INJECTED_FAULT, 'Injected by PUT /admin/faults; nothing was done', {
      status,
    });
  }
}

/** Whether a path is never hit. */
export function isExempt(path: string): boolean {
  return EXEMPT.some((spared) => path === spared || path.startsWith(`${spared}/`));
}
