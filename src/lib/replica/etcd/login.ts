import { clock, sleep } from '../../clock.ts';
import { Waits } from '../../waits.ts';
import { EtcdError } from './etcd-error.ts';
import type { Transport } from './transport.ts';

/** A user of etcd. */
export interface EtcdUser {
  readonly name: string;
  /** Returns the password for the next login. */
  readonly password: () => string;
}

/** The minimum time between the starts of two logins, in milliseconds, as etcd makes them slow. */
const PAUSE_MS = 2_000;

/** Sends a name and a password, and resolves to a token. @throws EtcdError */
type Authenticate = (endpoint: Transport, name: string, password: string) => Promise<string>;

/** The token of a user. */
export class Login {
  readonly #user: EtcdUser;
  readonly #authenticate: Authenticate;
  #password = '';
  /** The token, or why the last login failed; undefined before a login. */
  #result: string | Error | undefined;
  #isRunning = false;
  /** When the next login may begin, by `clock.now()`. */
  #nextAt = Number.NEGATIVE_INFINITY;
  /** Waits for the end of the login in progress. */
  readonly #waits = new Waits();

  constructor(user: EtcdUser, authenticate: Authenticate) {
    this.#user = user;
    this.#authenticate = authenticate;
  }

  /** Returns the token, or a new one; empty while etcd needs none. @throws EtcdError */
  async token(endpoint: Transport, deadline: number): Promise<string> {
    const last = this.#result;
    if (typeof last === 'string') return last;
    const isRefused = last instanceof EtcdError && last.outcome === 'login refused';
    if (isRefused && clock.now() < this.#nextAt) throw last;
    // Not awaited, because this request may give up before the login ends. `#logIn` never rejects.
    if (!this.#isRunning) void this.#logIn(endpoint);
    await this.#waits.until(() => !this.#isRunning, Math.max(0, deadline - clock.now()));
    const result = this.#result ?? new EtcdError('unsent', 'the login took too long');
    if (typeof result === 'string') return result;
    throw result;
  }

  /** Forgets a token that was not accepted, unless there is a newer one. */
  forget(token: string | undefined): void {
    if (this.#result === token) this.#result = undefined;
  }

  /** Records that a token was accepted, so that the next login needs no pause. */
  confirm(): void {
    this.#nextAt = Number.NEGATIVE_INFINITY;
  }

  /** Creates a function that removes the password and a token from texts that may repeat them. */
  createRedactor(token: string | undefined): (text: string) => string {
    const password = this.#password;
    const secrets = [password, JSON.stringify(password).slice(1, -1), token];
    return (text) =>
      secrets.reduce<string>((rest, each) => (each ? rest.replaceAll(each, '…') : rest), text);
  }

  async #logIn(endpoint: Transport): Promise<void> {
    this.#isRunning = true;
    await sleep(Math.max(0, this.#nextAt - clock.now()));
    this.#nextAt = clock.now() + PAUSE_MS;
    try {
      this.#password = this.#user.password();
      this.#result = await this.#authenticate(endpoint, this.#user.name, this.#password);
    } catch (error) {
      this.#result = asLoginResult(error);
    }
    this.#isRunning = false;
    this.#waits.check();
  }
}

/** The result of a login that has failed: the request that needs its token was never sent. */
function asLoginResult(error: unknown): string | Error {
  if (!(error instanceof EtcdError)) return new TypeError('the login failed', { cause: error });
  const { outcome, message, option } = error;
  if (outcome === 'authentication off') return '';
  const isRefused = outcome === 'rejected' || outcome === 'unauthenticated';
  return new EtcdError(isRefused ? 'login refused' : 'unsent', message, { option, cause: error });
}
