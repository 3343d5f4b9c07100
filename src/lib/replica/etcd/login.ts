import { clock, sleep } from '../../clock.ts';
import { EtcdError } from './etcd-error.ts';

/** A user of etcd. */
export interface EtcdUser {
  readonly name: string;
  /** Returns the password for the next login. */
  readonly password: () => string;
}

/** The pause after a login that etcd has refused, in milliseconds, because logins are slow. */
const PAUSE_MS = 2_000;

/** The token of a user, which all requests share. */
export class Login {
  #token: Promise<string> | undefined;
  /** When the next login may begin, by `clock.now()`. */
  #nextAt = Number.NEGATIVE_INFINITY;

  /**
   * Returns the token, or logs in; empty while etcd needs no token. For a while after a refusal,
   * rejects with that.
   * @param authenticate sends the name and the password, and resolves to a token
   * @throws EtcdError
   */
  token(authenticate: () => Promise<string>): Promise<string> {
    this.#token ??= this.#logIn(authenticate);
    return this.#token;
  }

  /** Forgets a token that etcd does not accept, unless there is a newer one. */
  forget(token: Promise<string>): void {
    if (this.#token === token) this.#token = undefined;
  }

  /** Records that etcd has accepted the token, so that the next login needs no pause. */
  confirm(): void {
    this.#nextAt = Number.NEGATIVE_INFINITY;
  }

  async #logIn(authenticate: () => Promise<string>): Promise<string> {
    await sleep(Math.max(0, this.#nextAt - clock.now()));
    this.#nextAt = clock.now() + PAUSE_MS;
    try {
      return await authenticate();
    } catch (error) {
      const isOfEtcd = error instanceof EtcdError;
      if (isOfEtcd && error.outcome === 'no login') return '';
      this.#nextAt = Number.NEGATIVE_INFINITY;
      const forget = () => {
        this.#token = undefined;
      };
      // Another endpoint may accept it at once, unless etcd itself has refused it.
      const isRefused = isOfEtcd && error.outcome === 'refused';
      if (isRefused) clock.setTimeout(forget, PAUSE_MS).unref();
      else forget();
      if (!isOfEtcd) throw error;
      throw new EtcdError(isRefused || error.isUnsent ? 'unreachable' : 'unsent', error.message);
    }
  }
}
