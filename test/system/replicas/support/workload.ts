import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { findViolation, type Operation } from '../../../support/linearizable.ts';

/** The title of an item. */
type Register = string;

interface Item {
  readonly id: number;
  readonly title: string;
}

/** What is known about a write: it happened, it did not, or neither. */
type Outcome = 'done' | 'not done' | 'unknown';

/** The number of items that are updated repeatedly. */
const REGISTERS = 12;

/** How long a client waits for a response, in milliseconds. */
const PATIENCE_MS = 8_000;

/**
 * Clients that write and read through replicas, and record what they see, to check that it is
 * linearizable.
 */
export class Workload {
  readonly #pools: readonly Pool[];
  readonly #histories = new Map<number, Operation<Register>[]>();
  readonly #created = new Map<string, number>();
  readonly #maybeCreated = new Set<string>();
  readonly #lists: (readonly Item[])[] = [];
  readonly #faults: string[] = [];
  #clock = 0;
  #sequence = 0;
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();
  /**
   * When the last write was acknowledged, and the longest gap between acknowledged writes, in
   * milliseconds.
   */
  #lastWrite = performance.now();
  longestGapMs = 0;
  /** The number of rejected requests by response. */
  readonly refusals = new Map<string, number>();
  readonly counts = { done: 0, refused: 0, unknown: 0 };

  constructor(baseUrls: readonly string[]) {
    this.#pools = baseUrls.map((url) => new Pool(url, { connections: 32 }));
  }

  /** Creates the items, and starts the clients. */
  async start(clients = 9): Promise<void> {
    for (let id = 1; id <= REGISTERS; id++) await this.#create(this.#pool(0));
    assert.deepEqual([...this.#created.values()], range(REGISTERS), 'ids start at 1');
    for (const [title, id] of this.#created) {
      this.#histories.set(id, [this.#operation('there at first', 0, () => title)]);
    }
    this.#lastWrite = performance.now();
    this.longestGapMs = 0;
    this.#running = Promise.all(Array.from({ length: clients }, () => this.#client()));
  }

  /** Lets the clients run for a while. */
  async run(ms: number): Promise<void> {
    await sleep(ms);
  }

  /** Stops the clients, and checks everything they saw. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    this.#noteGap();
    await this.#check();
  }

  /** Stops the clients, and closes their connections. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }

  /** The first violation of linearizability in the histories of single items. */
  violation(): string | undefined {
    for (const [id, history] of this.#histories) {
      const [initial, ...rest] = history;
      const violation = findViolation(initial?.step('') ?? '', rest, String);
      if (violation) {
        const first = violation
          .slice(0, 12)
          .map(({ what, start, end }) => `${start}-${end} ${what}`);
        return `item ${id}: ${first.join('\n')}`;
      }
    }
    return undefined;
  }

  async #check(): Promise<void> {
    assert.deepEqual(this.#faults.slice(0, 3), [], 'there was no unexpected response');
    const lists = await Promise.all(this.#pools.map((pool) => this.#finalList(pool)));
    for (const list of lists) assert.equal(list, lists[0], 'all replicas have the same list');
    const items: Item[] = JSON.parse(lists[0] ?? '[]');
    assert.deepEqual(
      items.map(({ id }) => id),
      range(items.length),
      'ids are 1 to n',
    );
    const idOf = new Map(items.map(({ id, title }) => [title, id]));
    for (const [title, id] of this.#created) {
      if (id > REGISTERS) assert.equal(idOf.get(title), id, `${title} is there, under its id`);
    }
    const most = this.#created.size + this.#maybeCreated.size;
    assert(items.length <= most, `${items.length} rows for ${most} creates`);
    const titles = items.map(({ title }) => title);
    assert.equal(new Set(titles).size, titles.length, 'nothing was created twice');
    for (const list of this.#lists) {
      assert.deepEqual(
        list.map(({ id }) => id),
        range(list.length),
        'a list has all items up to its last',
      );
    }
    assert.equal(this.violation(), undefined);
  }

  async #finalList(pool: Pool): Promise<string> {
    const { body } = await pool.request({ method: 'GET', path: '/api/todos' });
    return body.text();
  }

  async #client(): Promise<void> {
    while (!this.#isOver) {
      const pool = this.#pool(Math.floor(Math.random() * this.#pools.length));
      const choice = Math.random();
      const id = 1 + Math.floor(Math.random() * REGISTERS);
      if (choice < 0.3) await this.#create(pool);
      else if (choice < 0.55) await this.#update(pool, id);
      else if (choice < 0.9) await this.#get(pool, id);
      else await this.#list(pool);
      await sleep(Math.random() * 30);
    }
  }

  #pool(index: number): Pool {
    const pool = this.#pools[index];
    if (pool === undefined) throw new TypeError('there is no replica');
    return pool;
  }

  async #create(pool: Pool): Promise<void> {
    const title = `c${this.#sequence++}`;
    const { outcome, item } = await this.#write(pool, 'POST', '/api/todos', title);
    if (outcome === 'unknown') this.#maybeCreated.add(title);
    if (outcome === 'done' && item) this.#created.set(title, item.id);
  }

  async #update(pool: Pool, id: number): Promise<void> {
    const title = `u${this.#sequence++}`;
    const start = this.#clock++;
    const { outcome } = await this.#write(pool, 'PUT', `/api/todos/${id}`, title);
    if (outcome === 'not done') return;
    // A write with an unknown outcome may take effect at any time.
    const end = outcome === 'done' ? this.#clock++ : Number.POSITIVE_INFINITY;
    this.#note(id, { ...this.#operation(`update ${title}`, start, () => title), end });
  }

  async #get(pool: Pool, id: number): Promise<void> {
    const start = this.#clock++;
    const answer = await this.#request(pool, 'GET', `/api/todos/${id}`);
    if (answer?.status !== 200) return this.#noteRead(answer);
    const { title } = JSON.parse(answer.text);
    this.#note(id, this.#reading(title, start));
  }

  async #list(pool: Pool): Promise<void> {
    const start = this.#clock++;
    const answer = await this.#request(pool, 'GET', '/api/todos');
    if (answer?.status !== 200) return this.#noteRead(answer);
    const items: Item[] = JSON.parse(answer.text);
    this.#lists.push(items);
    for (const { id, title } of items.slice(0, REGISTERS)) {
      this.#note(id, { ...this.#reading(title, start), what: `list with ${title}` });
    }
  }

  #noteRead(answer: { status: number; text: string } | undefined): void {
    if (answer && answer.status !== 503) this.#faults.push(`${answer.status} ${answer.text}`);
    this.counts.refused++;
  }

  async #write(
    pool: Pool,
    method: 'POST' | 'PUT',
    path: string,
    title: string,
  ): Promise<{ outcome: Outcome; item?: Item }> {
    const answer = await this.#request(pool, method, path, JSON.stringify({ title }));
    if (answer?.status === 200 || answer?.status === 201) {
      this.#noteGap();
      this.counts.done++;
      return { outcome: 'done', item: JSON.parse(answer.text) };
    }
    if (answer?.status === 503 && answer.text.includes('"store-unavailable"')) {
      this.counts.refused++;
      return { outcome: 'not done' };
    }
    if (answer && !answer.text.includes('"outcome-unknown"')) {
      this.#faults.push(`${answer.status} ${answer.text}`);
    }
    this.counts.unknown++;
    return { outcome: 'unknown' };
  }

  /** The response; undefined if there was none. */
  async #request(
    pool: Pool,
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: string,
  ): Promise<{ status: number; text: string } | undefined> {
    try {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const options = { method, path, headers, body: body ?? null };
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const answer = await pool.request({ ...options, signal });
      const text = await answer.body.text();
      if (answer.statusCode === 503) this.#refusal(JSON.parse(text).detail);
      return { status: answer.statusCode, text };
    } catch (error) {
      this.#refusal(String(error));
      return undefined;
    }
  }

  #refusal(text: string): void {
    this.refusals.set(text, (this.refusals.get(text) ?? 0) + 1);
  }

  #noteGap(): void {
    const now = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, now - this.#lastWrite);
    this.#lastWrite = now;
  }

  #note(id: number, operation: Operation<Register>): void {
    this.#histories.get(id)?.push(operation);
  }

  #operation(what: string, start: number, step: (state: Register) => Register | undefined) {
    return { what, start, end: this.#clock++, step };
  }

  #reading(title: string, start: number): Operation<Register> {
    return this.#operation(`read ${title}`, start, (state) =>
      state === title ? state : undefined,
    );
  }
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}
