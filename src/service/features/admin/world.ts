import { clock } from '../../../lib/clock.ts';
import { type Handler, type Middleware, Problem, type Request } from '../../../lib/http/index.ts';
import { problemType } from '../../problem-types.ts';

/** A request that a reset has overtaken. */
export const RESET = problemType('reset', 409);

/** The problem of a request that had arrived before a reset, and has no effect after it. */
export function ofFormerWorld(): Problem {
  const detail = 'The service was reset before this request was carried out; nothing was done';
  return new Problem(RESET, detail, { close: true });
}

/** Waits that can all be ended early. */
export class Waits {
  readonly #checks = new Set<() => void>();
  #reason: Problem | undefined;
  hasEnded = false;

  /**
   * Waits for a time in milliseconds, until something is so, or until all waits end.
   * @param request is held meanwhile, if it waits
   */
  async until(isOver: () => boolean, ms?: number, request?: Request): Promise<void> {
    if (this.hasEnded || isOver()) return;
    const over = new Promise<void>((resolve) => {
      const end = () => {
        clock.clear(timer);
        this.#checks.delete(check);
        resolve();
      };
      const check = () => {
        if (this.hasEnded || isOver()) end();
      };
      const timer = ms === undefined ? undefined : clock.setTimeout(end, ms);
      this.#checks.add(check);
      request?.onEnd(end);
    });
    await (request === undefined ? over : request.wait(over));
  }

  /**
   * Waits for a time in milliseconds, or until all waits end.
   * @throws the reason why they have, if it is a request that waits
   */
  async sleep(ms?: number, request?: Request): Promise<void> {
    await this.until(() => false, ms, request);
    if (this.#reason !== undefined && request !== undefined) throw this.#reason;
  }

  /** Ends the waits for something that is so by now. */
  check(): void {
    for (const check of this.#checks) check();
  }

  /** Ends all waits; later ones end at once. @param reason why no request that waits goes on */
  end(reason?: Problem): void {
    this.hasEnded = true;
    this.#reason = reason;
    this.check();
  }
}

/**
 * Which requests are carried out before a reset: those that had begun when it was prepared. It
 * waits for them, and those that come meanwhile wait for it.
 */
export class World {
  readonly #running = new Set<Promise<unknown>>();
  /** Those who wait for a reset. */
  #waits: Waits | undefined;

  /** Goes directly around the routes. */
  readonly middleware: Middleware = (next) => {
    const run: Handler = (request) => {
      const response = next(request);
      if (response instanceof Promise) {
        this.#running.add(response);
        const end = () => this.#running.delete(response);
        response.then(end, end);
      }
      return response;
    };
    return (request) =>
      this.#waits?.sleep(undefined, request).then(() => run(request)) ?? run(request);
  };

  /**
   * Waits until nothing is being carried out. Nothing more is, until the world ends or what is
   * returned is called: then it goes on.
   */
  async settle(): Promise<() => void> {
    this.#waits = new Waits();
    await Promise.allSettled(this.#running);
    return () => this.end();
  }

  /** Ends the waits for a reset. @param reason why requests that wait are of a former world */
  end(reason?: Problem): void {
    this.#waits?.end(reason);
    this.#waits = undefined;
  }
}
