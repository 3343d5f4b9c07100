import { clock } from '../../../lib/clock.ts';
import { type Handler, type Middleware, Problem } from '../../../lib/http/index.ts';
import { Waits } from '../../../lib/waits.ts';
import { problemType } from '../../problem-types.ts';

export const RESET = problemType('reset', 409);

const DETAIL = 'The service was reset before this request was carried out; nothing was done';

/** The problem of a request that had arrived before a reset, and has no effect after it. */
export const OF_FORMER_WORLD = new Problem(RESET, DETAIL, { close: true });

/** A reset waits for requests that have begun; requests that come meanwhile wait for the reset. */
export class World {
  readonly #running = new Set<Promise<unknown>>();
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

  /** Calls back once no request runs. None begins until the world ends, or the callback does. */
  async settle(commit: () => void): Promise<void> {
    this.#waits = new Waits();
    // A request whose delay has just ended comes here before the next tick, and no other one does.
    await new Promise<void>((resolve) => clock.nextTick(resolve));
    await Promise.allSettled(this.#running);
    try {
      commit();
    } finally {
      this.end();
    }
  }

  /** Ends the waits for a reset. @param reason why requests that wait are of a former world */
  end(reason?: Problem): void {
    this.#waits?.end(reason);
    this.#waits = undefined;
  }
}
