import { setTimeout as sleep } from 'node:timers/promises';
import type { Middleware } from '../core/handler.ts';
import { Problem } from '../core/problem.ts';
import type { Request } from '../core/request.ts';
import { NO_RESPONSE, type Response } from '../core/response.ts';

/** What is to go wrong, and for whom. */
export interface Fault {
  /** Any method, if absent. */
  readonly method?: string;
  /** What a path begins with; any path, if absent. */
  readonly path?: string;
  /** How long a request waits. */
  readonly delayMs?: number;
  /** Up to so much is added to the delay, at random. */
  readonly jitterMs?: number;
  /** The share of requests that are hit; all of them, if absent. */
  readonly rate?: number;
  /** The status of the response. */
  readonly status?: number;
  /** The connection is closed without a response. */
  readonly abort?: boolean;
  /** How long it is in force; for ever, if absent. */
  readonly seconds?: number;
}

/** Paths that are never hit: an orchestrator's, and those that put an end to faults. */
const SPARED = ['/livez', '/readyz', '/metrics', '/admin'];

/** Faults that are in force, of which the first that fits a request decides. */
export class Faults {
  #faults: readonly { readonly fault: Fault; readonly end: number }[] = [];
  readonly #random: () => number;

  /** @param random gives a number from 0 to 1 */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Those that are in force now, with the seconds that are left to them. */
  get list(): readonly Fault[] {
    const now = performance.now();
    return this.#faults.flatMap(({ fault, end }) => {
      if (end <= now) return [];
      return fault.seconds === undefined ? [fault] : [{ ...fault, seconds: (end - now) / 1000 }];
    });
  }

  set(faults: readonly Fault[]): void {
    const now = performance.now();
    this.#faults = faults.map((fault) => ({
      fault,
      end: now + 1000 * (fault.seconds ?? Number.POSITIVE_INFINITY),
    }));
  }

  /** Comes before the router, so that what a fault answers for was not done. */
  readonly middleware: Middleware = (next) => (request) => {
    const fault = this.#faultFor(request);
    return fault === undefined ? next(request) : this.#strike(fault, request, next);
  };

  /** The fault that hits a request, if there is one. */
  #faultFor({ method, path }: Request): Fault | undefined {
    if (this.#faults.length === 0 || isSpared(path)) return undefined;
    const now = performance.now();
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
    if (delay > 0) await sleep(delay);
    if (abort) return NO_RESPONSE;
    if (status === undefined) return next(request);
    throw new Problem('injected-fault', 'Injected by PUT /admin/faults; nothing was done', {
      status,
      close: request.refusal?.close ?? false,
    });
  }
}

/** Whether a path is never hit. */
export function isSpared(path: string): boolean {
  return SPARED.some((spared) => path === spared || path.startsWith(`${spared}/`));
}
