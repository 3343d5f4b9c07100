import { clock, sleep } from '../../clock.ts';
import { EtcdError } from '../errors.ts';
import type { Transport } from './transport.ts';

/** A user of etcd. */
export interface EtcdUser {
  readonly name: string;
  /** Returns the password for the next login. */
  readonly password: () => string;
}

/** The time between the beginnings of two logins, in milliseconds. etcd makes logins slow. */
const PAUSE_MS = 2_000;

/** etcd's answer to a login that it does not need. */
const AUTHENTICATION_OFF = 'authentication is not enabled';

/** Sends a name and a password, and resolves to a token. @throws EtcdError */
type Authenticate = (endpoint: Transport, name: string, password: string) => Promise<string>;

/** The token of a user. */
export class Login {
  readonly #user: EtcdUser;
  readonly #authenticate: Authenticate;
  #token: string | undefined;
  #password = '';
  #running: Promise<string> | undefined;
  #nextAt = Number.NEGATIVE_INFINITY;
  /** The error with which etcd rejected the last login. */
  rejection: EtcdError | undefined;
  /** The error of the last login; undefined if it has succeeded. */
  #lastError: EtcdError | undefined;

  constructor(user: EtcdUser, authenticate: Authenticate) {
    this.#user = user;
    this.#authenticate = authenticate;
  }

  /** Returns the token, or a new one; empty while etcd needs none. @throws EtcdError */
  async token(endpoint: Transport, deadline: number): Promise<string> {
    if (this.#token !== undefined) return this.#token;
    if (this.rejection !== undefined && clock.now() < this.#nextAt) throw this.rejection;
    this.#running ??= this.#logIn(endpoint);
    // The login may belong to another request, which gives up later.
    const token = await Promise.race([this.#running, sleep(Math.max(0, deadline - clock.now()))]);
    if (token !== undefined) return token;
    throw this.#lastError ?? new EtcdError('unsent', 'the login took too long');
  }

  /** Forgets a token that was not accepted, unless there is a newer one. */
  forget(token: string | undefined): void {
    if (this.#token === token) this.#token = undefined;
  }

  /** Records that a token was accepted, so that the next login needs no pause. */
  confirm(): void {
    this.#nextAt = Number.NEGATIVE_INFINITY;
  }

  /** Removes the password and the token from a text, which may repeat a request. */
  redact(text: string): string {
    const secrets = [this.#password, JSON.stringify(this.#password).slice(1, -1), this.#token];
    return secrets.reduce<string>((rest, each) => (each ? rest.replaceAll(each, '…') : rest), text);
  }

  async #logIn(endpoint: Transport): Promise<string> {
    await sleep(Math.max(0, this.#nextAt - clock.now()));
    this.#nextAt = clock.now() + PAUSE_MS;
    this.rejection = undefined;
    try {
      this.#password = this.#user.password();
      this.#token = await this.#authenticate(endpoint, this.#user.name, this.#password);
      this.#lastError = undefined;
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      const { outcome, message, code, cause } = error;
      if (message.endsWith(AUTHENTICATION_OFF)) this.#token = '';
      else {
        // The request that needs the token was never sent.
        const failure = new EtcdError('unsent', message, code, { cause });
        this.#lastError = failure;
        if (outcome === 'rejected') this.rejection = failure;
        throw failure;
      }
    } finally {
      this.#running = undefined;
    }
    return this.#token;
  }
}
