import { clock, sleep } from '../../clock.ts';
import { EtcdError } from './error.ts';

/** The pause after a login, in milliseconds. It doubles from the first to the last. */
const FIRST_PAUSE_MS = 200;
const LAST_PAUSE_MS = 5_000;

/** The token of a user. Logins cost etcd much, so they become rarer until a token is accepted. */
export class Login {
  #token: string | undefined;
  #running: Promise<string> | undefined;
  #pauseMs = 0;
  #nextAt = Number.NEGATIVE_INFINITY;
  #rejection: EtcdError | undefined;

  /** The token, or a new one if there is none. @throws EtcdError */
  async token(authenticate: () => Promise<string>, deadline: number): Promise<string> {
    if (this.#token !== undefined) return this.#token;
    const waitMs = this.#nextAt - clock.now();
    if (this.#running === undefined && waitMs > 0) {
      if (this.#rejection !== undefined) throw this.#rejection;
      await sleep(Math.max(0, Math.min(waitMs, deadline - clock.now())));
      if (clock.now() >= deadline)
        throw new EtcdError('unsent', 'the login took too long', 'login');
      return this.token(authenticate, deadline);
    }
    this.#running ??= this.#logIn(authenticate);
    return this.#running;
  }

  /** Forgets a token that was not accepted, unless there is a newer one. */
  forget(token: string | undefined): void {
    if (this.#token === token) this.#token = undefined;
  }

  /** A token was accepted. */
  confirm(): void {
    this.#pauseMs = 0;
    this.#nextAt = Number.NEGATIVE_INFINITY;
  }

  async #logIn(authenticate: () => Promise<string>): Promise<string> {
    this.#pauseMs = Math.min(this.#pauseMs * 2 || FIRST_PAUSE_MS, LAST_PAUSE_MS);
    this.#nextAt = clock.now() + this.#pauseMs;
    this.#rejection = undefined;
    try {
      this.#token = await authenticate();
      return this.#token;
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      const { message, kind, code } = error;
      // The request itself was never sent.
      if (error.outcome !== 'rejected') throw new EtcdError('unsent', message, kind, code);
      this.#rejection = new EtcdError('rejected', message, 'login', code);
      throw this.#rejection;
    } finally {
      this.#running = undefined;
    }
  }
}
