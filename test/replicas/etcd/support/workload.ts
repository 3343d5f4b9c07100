import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { LIST } from '../../../support/paths.ts';

/** The members of an item that are checked. */
interface Item {
  readonly id: number;
  readonly title: string;
}

interface Response {
  readonly status: number;
  readonly text: string;
}

/** The time limit of a client for a response, in milliseconds. */
const PATIENCE_MS = 30_000;

/**
 * Clients that create items and read them through replicas, and check that the responses are
 * linearizable. They change and delete nothing, and ids have no gaps, so a number stands for each
 * state of the list: its last id. A response must show at least the state that any client had seen
 * before the request began.
 */
export class Workload {
  readonly #pools: readonly Pool[];
  /** The titles that responses have shown, by id. */
  readonly #titles = new Map<number, string>();
  /** The last id that a response has shown. */
  #seen = 0;
  readonly #violations: string[] = [];
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();
  #lastCreate = performance.now();
  /** The longest time between two acknowledged creates, in milliseconds. */
  longestGapMs = 0;
  /** The number of failed requests by response or error. */
  readonly refusals = new Map<string, number>();
  /** The number of creates that have happened, and of those that may have happened. */
  readonly counts = { done: 0, unknown: 0 };

  constructor(baseUrls: readonly string[]) {
    const patience = { headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS };
    this.#pools = baseUrls.map((url) => new Pool(url, { connections: 32, ...patience }));
  }

  /** Starts the clients. */
  start(clients = 9): void {
    this.#lastCreate = performance.now();
    this.#running = Promise.all(Array.from({ length: clients }, () => this.#client()));
  }

  /** Stops the clients, and checks everything that they saw. */
  async finish(): Promise<void> {
    await this.#end();
    this.#noteGap();
    const lists = await Promise.all(this.#pools.map((pool) => this.#ask(pool, 'GET', LIST)));
    for (const list of lists) assert.deepEqual(list, lists[0], 'all replicas have the same list');
    const items: readonly Item[] = JSON.parse(lists[0]?.text ?? '[]');
    this.#see(items, this.#seen);
    assert.deepEqual(this.#violations.slice(0, 3), []);
    const titles = new Set(items.map(({ title }) => title));
    assert.equal(titles.size, items.length, 'nothing was created twice');
    const { done, unknown } = this.counts;
    assert(items.length >= done && items.length <= done + unknown, `${items.length} items`);
  }

  /** Stops the clients, and closes their connections. */
  async stop(): Promise<void> {
    await this.#end();
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }

  async #end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #client(): Promise<void> {
    while (!this.#isOver) {
      const pool = this.#pools[Math.floor(Math.random() * this.#pools.length)];
      assert(pool);
      const choice = Math.random();
      if (choice < 0.5) await this.#create(pool);
      else if (choice < 0.9) await this.#get(pool);
      else await this.#list(pool);
      await sleep(Math.random() * 30);
    }
  }

  async #create(pool: Pool): Promise<void> {
    const title = crypto.randomUUID();
    const seen = this.#seen;
    const response = await this.#ask(pool, 'POST', LIST, JSON.stringify({ title }));
    if (response?.status === 201) {
      this.counts.done++;
      this.#noteGap();
      const item: Item = JSON.parse(response.text);
      if (item.id <= seen || item.title !== title)
        this.#violations.push(`created ${response.text}`);
      this.#note(item);
    } else if (!response?.text.includes('"store-unavailable"')) {
      this.counts.unknown++;
      if (!response?.text.includes('"outcome-unknown"')) this.#reject(response);
    }
  }

  /** Reads one of the items that a client has seen. */
  async #get(pool: Pool): Promise<void> {
    if (this.#seen === 0) return;
    const id = 1 + Math.floor(Math.random() * this.#seen);
    const response = await this.#ask(pool, 'GET', `${LIST}/${id}`);
    if (response?.status === 200) this.#note(JSON.parse(response.text));
    else if (response?.status !== 503) this.#reject(response);
  }

  async #list(pool: Pool): Promise<void> {
    const seen = this.#seen;
    const response = await this.#ask(pool, 'GET', LIST);
    if (response?.status === 200) this.#see(JSON.parse(response.text), seen);
    else if (response?.status !== 503) this.#reject(response);
  }

  /** Takes a list, which must have all items up to its last one, and those seen before. */
  #see(items: readonly Item[], seen: number): void {
    if (items.length < seen || items.some(({ id }, index) => id !== index + 1)) {
      const ids = items.map(({ id }) => id).join();
      this.#violations.push(`a list after item ${seen} was seen has the ids ${ids}`);
    }
    for (const item of items) this.#note(item);
  }

  #note({ id, title }: Item): void {
    this.#seen = Math.max(this.#seen, id);
    const before = this.#titles.get(id) ?? title;
    if (before !== title) this.#violations.push(`item ${id} is ${title}, and was ${before}`);
    this.#titles.set(id, title);
  }

  /** Records a response that no request should get; without one, the connection has failed. */
  #reject(response: Response | undefined): void {
    if (response) this.#violations.push(`${response.status} ${response.text}`);
  }

  /** The response; undefined if there was none. */
  async #ask(
    pool: Pool,
    method: 'GET' | 'POST',
    path: string,
    body?: string,
  ): Promise<Response | undefined> {
    try {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const answer = await pool.request({ method, path, headers, body: body ?? null });
      const text = await answer.body.text();
      if (answer.statusCode === 503) this.#countRefusal(JSON.parse(text).detail);
      return { status: answer.statusCode, text };
    } catch (error) {
      this.#countRefusal(String(error));
      return undefined;
    }
  }

  #countRefusal(reason: string): void {
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
  }

  #noteGap(): void {
    const now = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, now - this.#lastCreate);
    this.#lastCreate = now;
  }
}
