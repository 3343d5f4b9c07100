import {
  type ApiRequest,
  type Exchange,
  type Send,
  sentenceOf,
  statusOf,
} from '../api/api-request.ts';
import { find, setText } from '../shared/page.ts';
import { type AdminToken, TOKEN_FIELD } from './admin-token.ts';

/** Whether admin requests are allowed, and if not, why. */
export type Access = 'open' | 'absent' | 'needed' | 'refused';

/** The requests below `/admin`. Fires the event `access` when `access` changes. Paths are relative to `/admin/`. */
export class Admin extends EventTarget {
  access: Access;
  readonly #listBase: string;
  readonly #token: AdminToken;
  readonly #send: Send;
  readonly #sendUnseen: Send;
  /** How many tokens there have been: a late response may refuse a previous one. */
  #tokens = 0;

  /** @param sendUnseen sends requests that the page does not show, such as those for the journal */
  constructor(base: string, token: AdminToken, hasAdmin: boolean, send: Send, sendUnseen: Send) {
    super();
    this.#listBase = base;
    this.#token = token;
    this.#send = send;
    this.#sendUnseen = sendUnseen;
    this.access = !hasAdmin ? 'absent' : token.isKnown ? 'open' : 'needed';
    token.addEventListener('change', () => {
      this.#tokens++;
      if (token.isKnown) this.#setAccess('open');
    });
  }

  /** Reads what the desk shows, without showing the request. @throws as `Send` */
  read(path: string, signal: AbortSignal | null = null): Promise<Exchange> {
    return this.#request(this.#sendUnseen, { method: 'GET', path, headers: [], signal });
  }

  /** Changes something. `body` is JSON. @throws as `Send` */
  change(method: string, path: string, body?: string): Promise<Exchange> {
    const headers: ApiRequest['headers'] =
      body === undefined ? [] : [['Content-Type', 'application/json']];
    return this.#request(this.#send, {
      method,
      path,
      headers,
      ...(body !== undefined && { body }),
    });
  }

  /** Makes a list with a name if there is none. @throws as `Send` */
  makeList(name: string): Promise<Exchange> {
    const path = `lists/${name}`;
    const headers: ApiRequest['headers'] = [['If-None-Match', '*']];
    return this.#request(this.#send, { method: 'PUT', path, headers });
  }

  /** Runs an action of the user. Shows an error in the desk. Never rejects. */
  async run(action: () => Promise<unknown>): Promise<void> {
    const problem = find('desk-problem');
    setText(problem, '');
    await action().catch((error) => setText(problem, sentenceOf(error)));
  }

  async #request(send: Send, { path, headers, ...rest }: ApiRequest): Promise<Exchange> {
    // `/admin/lists` exists at the base path only.
    const base = path.startsWith('lists') ? this.#token.serviceBase : this.#listBase;
    const tokens = this.#tokens;
    try {
      const fields: ApiRequest['headers'] = [...headers, [...TOKEN_FIELD]];
      return await send({ path: `${base}/admin/${path}`, headers: fields, ...rest });
    } catch (error) {
      if (statusOf(error) === 401 && tokens === this.#tokens) this.#refuse();
      throw error;
    }
  }

  #refuse(): void {
    this.#token.set('');
    this.#setAccess('refused');
  }

  #setAccess(access: Access): void {
    this.access = access;
    this.dispatchEvent(new Event('access'));
  }
}
