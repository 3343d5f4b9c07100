import { attempt } from '../shared/json.ts';

/** Stands for the token in requests that the page shows, and in their curl commands. */
export const TOKEN_FIELD = ['Authorization', 'Bearer $ADMIN_TOKEN'] as const;

/**
 * The token of `/admin`, kept for this tab. It comes from a field of the page, or from the address,
 * which loses it at once. Fires `change`.
 */
export class AdminToken extends EventTarget {
  /** The path prefix of the service, without that of a list with a name. */
  readonly serviceBase: string;
  #token: string;
  readonly #key: string;

  constructor(serviceBase: string) {
    super();
    this.serviceBase = serviceBase;
    // Other services may have the same origin.
    this.#key = `todo-token ${serviceBase}`;
    // A browser may refuse storage.
    this.#token = attempt(() => sessionStorage.getItem(this.#key)) ?? '';
    this.#takeFromAddress();
    addEventListener('hashchange', () => this.#takeFromAddress());
  }

  get isKnown(): boolean {
    return this.#token !== '';
  }

  /** Keeps a token, or forgets it if it is empty. */
  set(token: string): void {
    // No token has another character, which a header field could not send.
    this.#token = token.replace(/[^!-~]/g, '?');
    attempt(() => sessionStorage.setItem(this.#key, this.#token));
    this.dispatchEvent(new Event('change'));
  }

  /** Puts the token into a request that stands for it. */
  authorize(headers: Headers): void {
    const [name, value] = TOKEN_FIELD;
    if (this.isKnown && headers.get(name) === value) headers.set(name, `Bearer ${this.#token}`);
  }

  #takeFromAddress(): void {
    const { hash, pathname, search } = location;
    const [, token] = /^#token=(.+)$/.exec(hash) ?? [];
    if (token === undefined) return;
    history.replaceState(history.state, '', pathname + search);
    this.set(attempt(() => decodeURIComponent(token)) ?? token);
  }
}
