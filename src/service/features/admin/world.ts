import {
  type Middleware,
  Problem,
  type ProblemType,
  type Request,
} from '../../../lib/http/index.ts';
import { isExempt } from '../feature.ts';

/** A request that a reset has overtaken. */
export const RESET: ProblemType = { code: 'reset', status: 409, title: 'Reset' };

const DETAIL = 'The service was reset before this request was carried out; nothing was done';

/** The problem of a request that had arrived before a reset, and has no effect after it. */
export function ofFormerWorld(): Problem {
  return new Problem(RESET, DETAIL, { close: true });
}

/** Whether a request has been refused because of a reset. */
export function isOfFormerWorld({ refusal }: Pick<Request, 'refusal'>): boolean {
  return refusal?.code === RESET.code;
}

/** A reset that waits for its turn. */
interface Turn {
  readonly over: Promise<void>;
  readonly end: () => void;
  hasReset: boolean;
}

/**
 * Which requests are carried out before a reset: those that had begun when it was prepared. It
 * waits for them, and those that come meanwhile wait for it.
 */
export class World {
  readonly #running = new Set<Promise<unknown>>();
  #turn: Turn | undefined;

  /** Goes directly around the routes. */
  readonly middleware: Middleware = (next) => (request) => {
    if (isExempt(request.localPath)) return next(request);
    const turn = this.#turn;
    if (turn === undefined) return this.#run(() => next(request));
    return request.wait(turn.over).then(() => {
      if (turn.hasReset) throw ofFormerWorld();
      return this.#run(() => next(request));
    });
  };

  #run<T>(carryOut: () => T | Promise<T>): T | Promise<T> {
    const response = carryOut();
    if (response instanceof Promise) {
      this.#running.add(response);
      const end = () => this.#running.delete(response);
      response.then(end, end);
    }
    return response;
  }

  /**
   * Waits until nothing is being carried out. Nothing more is, until the world ends or what is
   * returned is called: then it goes on.
   */
  async settle(): Promise<() => void> {
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const turn = { over, end, hasReset: false };
    this.#turn = turn;
    await Promise.allSettled(this.#running);
    return () => this.#goOn();
  }

  /** Everything has been reset: whatever waits is of the former world. */
  end(): void {
    if (this.#turn !== undefined) this.#turn.hasReset = true;
    this.#goOn();
  }

  #goOn(): void {
    this.#turn?.end();
    this.#turn = undefined;
  }
}
