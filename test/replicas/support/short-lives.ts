import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, Client, type RequestOptions } from '../../support/client.ts';
import { findViolation, type Operation } from '../../support/linearizable.ts';

/** The title of an item; empty if it does not exist. */
type State = string;

/** The title of an item as a client read it, and its entity tag. */
interface Seen {
  readonly title: string;
  readonly etag: string;
}

/** The number of items at a time. */
const PLACES = 5;

/** Matches no title and no tag. */
const NOTHING: Seen = { title: '-', etag: '"-"' };

/**
 * Clients that create and delete items, send conditional requests, and request items that may be
 * deleted. The responses depend on reads, although most of the requests are writes.
 */
export class ShortLives {
  readonly #clients: readonly Client[];
  readonly #histories = new Map<number, Operation<State>[]>();
  readonly #places: (number | undefined)[] = new Array(PLACES).fill(undefined);
  readonly #seen = new Map<number, Seen>();
  readonly #faults: string[] = [];
  #clock = 0;
  #sequence = 0;
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();
  /** The number of responses by status. */
  readonly statuses = new Map<number, number>();

  constructor(baseUrls: readonly string[]) {
    this.#clients = baseUrls.map((url) => new Client(url));
  }

  start(clients = 9): void {
    this.#running = Promise.all(Array.from({ length: clients }, () => this.#play()));
  }

  /** Stops the clients, and checks everything they saw. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    const lists = await Promise.all(this.#clients.map((client) => client.get('/api/todos')));
    await Promise.all(this.#clients.map((client) => client.close()));
    for (const { text } of lists)
      assert.equal(text, lists[0]?.text, 'all replicas have the same list');
    assert.deepEqual(this.#faults, []);
    for (const [id, history] of this.#histories) {
      const violation = findViolation('', history, String);
      const what = violation?.map((each) => `${each.start}-${each.end} ${each.what}`);
      assert.equal(what?.join('\n'), undefined, `item ${id}`);
    }
  }

  async #play(): Promise<void> {
    while (!this.#isOver) {
      const client = this.#clients[Math.floor(Math.random() * this.#clients.length)];
      assert(client);
      const place = Math.floor(Math.random() * PLACES);
      const id = this.#places[place];
      if (id === undefined) await this.#create(client, place);
      else await this.#meet(client, id, place);
      await sleep(Math.random() * 20);
    }
  }

  async #create(client: Client, place: number): Promise<void> {
    const title = `t${this.#sequence++}`;
    const start = this.#clock++;
    const answer = await this.#ask(client, 'POST', '/api/todos', {}, { title });
    if (answer?.status !== 201) return;
    const { id } = answer.json();
    const end = this.#clock++;
    const step = (state: State) => (state === '' ? title : undefined);
    this.#histories.set(id, [{ what: `create ${title}`, start, end, step }]);
    this.#see(id, title, answer);
    this.#places[place] = id;
  }

  /** Performs an operation on an item that may exist, with or without a condition. */
  async #meet(client: Client, id: number, place: number): Promise<void> {
    const choice = Math.random();
    const isConditional = Math.random() < 0.5;
    const seen = isConditional ? (this.#seen.get(id) ?? NOTHING) : undefined;
    if (choice < 0.3) await this.#get(client, id, seen);
    else if (choice < 0.5) await this.#write(client, id, 'PUT', undefined, seen);
    else if (choice < 0.8) await this.#write(client, id, 'PUT', `t${this.#sequence++}`, seen);
    else {
      await this.#write(client, id, 'DELETE', '', seen);
      // Other clients keep requesting it for a while.
      await sleep(20);
      if (this.#places[place] === id) this.#places[place] = undefined;
    }
  }

  async #get(client: Client, id: number, seen: Seen | undefined): Promise<void> {
    const start = this.#clock++;
    const headers = seen ? { 'if-none-match': seen.etag } : {};
    const answer = await this.#ask(client, 'GET', `/api/todos/${id}`, headers);
    if (answer === undefined) return;
    const { status } = answer;
    const title = status === 304 ? seen?.title : status === 404 ? '' : answer.json().title;
    const step = (state: State) => (state === title ? state : undefined);
    this.#note(id, { what: `get ${status} ${title}`, start, end: this.#clock++, step });
    if (status === 200) this.#see(id, answer.json().title, answer);
  }

  /** @param title undefined does not change the item, an empty one deletes it */
  async #write(
    client: Client,
    id: number,
    method: 'PUT' | 'DELETE',
    title: string | undefined,
    seen: Seen | undefined,
  ): Promise<void> {
    const start = this.#clock++;
    const headers = seen ? { 'if-match': seen.etag } : {};
    const body = method === 'PUT' ? { title } : undefined;
    const answer = await this.#ask(client, method, `/api/todos/${id}`, headers, body);
    const isMet = (state: State) => seen === undefined || state === seen.title;
    const after = (state: State) => title ?? state;
    const what = `${method} ${title} if ${seen?.title}: ${answer?.status}`;
    if (answer === undefined) {
      // It may take effect at any time, or never, which is the same as at the end.
      const step = (state: State) => (state !== '' && isMet(state) ? after(state) : state);
      this.#note(id, { what, start, end: Number.POSITIVE_INFINITY, step });
      return;
    }
    const { status } = answer;
    const step = (state: State): State | undefined => {
      if (status === 412) return isMet(state) ? undefined : state;
      if (status === 404) return state === '' ? state : undefined;
      if (method === 'DELETE') return isMet(state) ? '' : undefined;
      return state !== '' && isMet(state) && after(state) === answer.json().title
        ? after(state)
        : undefined;
    };
    this.#note(id, { what, start, end: this.#clock++, step });
    if (status === 200) this.#see(id, answer.json().title, answer);
  }

  /** The response; undefined if the outcome is unknown. */
  async #ask(
    client: Client,
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Answer | undefined> {
    const type = { 'content-type': 'application/json' };
    const options: RequestOptions = body
      ? { headers: { ...headers, ...type }, body: JSON.stringify(body) }
      : { headers };
    const answer = await client.request(method, path, options).catch(() => undefined);
    if (answer === undefined) return undefined;
    const { status, text } = answer;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status === 503) return undefined;
    if (status >= 400 && status !== 404 && status !== 412) this.#faults.push(`${status} ${text}`);
    return answer;
  }

  #see(id: number, title: string, { headers }: Answer): void {
    this.#seen.set(id, { title, etag: String(headers.etag) });
  }

  #note(id: number, operation: Operation<State>): void {
    this.#histories.get(id)?.push(operation);
  }
}
