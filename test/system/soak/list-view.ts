import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../support/client.ts';
import { EventClient } from '../../support/events.ts';
import { EVENTS, itemPath, LIST } from '../../support/paths.ts';
import type { Todo } from '../../support/requests.ts';
import type { Write, Writes } from './writes.ts';

/** A commit, as the events of a stream. */
type Commit = readonly ({ readonly put: Todo } | { readonly deleted: number })[];

/** A moment of a list, as its stream has shown it. */
export interface Moment {
  /** How often the stream has lost the list. Moments are comparable if this is the same. */
  readonly losses: number;
  readonly commits: number;
}

/**
 * A list as the events of its stream show it, commit by commit. After `reset`, the list is fetched
 * again, and known from the event of an item that was created after that.
 */
export class ListView {
  readonly path: string;
  /** What a test may not find. */
  readonly violations: string[];
  items = new Map<number, Todo>();
  isKnown = false;
  hasEnded = false;
  /** How many resets have been asked for, or answered. */
  resets = 0;
  /** When the last reset that was carried out was asked for. */
  resetAt = Number.NEGATIVE_INFINITY;
  readonly #client: Client;
  readonly #writes: Writes;
  #losses = 0;
  #commits = 0;
  #hash = 0;
  /** The number of the last commit after which the items had a hash. */
  #numbers = new Map<number, number>();
  /** The commits since the list was lost. */
  #waiting: Commit[] = [];
  #fetched: { readonly items: readonly Todo[]; readonly fence: string } | undefined;
  readonly #reads: { readonly since: Moment; readonly hash: number; readonly reader: string }[] =
    [];
  readonly #deletions: { readonly since: Moment; readonly id: number }[] = [];

  constructor(path: string, client: Client, writes: Writes, violations: string[]) {
    this.path = path;
    this.#client = client;
    this.#writes = writes;
    this.violations = violations;
  }

  /** The last moment; undefined while the list is not known. */
  get moment(): Moment | undefined {
    return this.isKnown ? { losses: this.#losses, commits: this.#commits } : undefined;
  }

  /** Whether nothing is missing between a moment and now. */
  isUnbroken(since: Moment | undefined): since is Moment {
    return this.isKnown && since?.losses === this.#losses;
  }

  /** Follows the stream of the list until `hasEnded` is set. @param baseUrl of the service */
  async follow(baseUrl: string): Promise<() => void> {
    const stream = await EventClient.open(baseUrl, undefined, `${this.path}${EVENTS}`);
    this.#lose();
    void this.#read(stream);
    return () => {
      this.hasEnded = true;
      stream.close();
    };
  }

  async #read(stream: EventClient): Promise<void> {
    let commit: Commit[number][] = [];
    try {
      for (;;) {
        const { event, data, id } = await stream.next();
        if (event === 'reset') {
          this.#lose();
          commit = [];
        }
        if (event === 'put') commit.push({ put: JSON.parse(data) });
        if (event === 'delete') commit.push({ deleted: JSON.parse(data).id });
        if (id === undefined || commit.length === 0) continue;
        if (this.isKnown) this.#apply(commit);
        else this.#waiting.push(commit);
        if (!this.isKnown) this.#resume();
        commit = [];
      }
    } catch (error) {
      if (!this.hasEnded) this.violations.push(`${this.path}: the stream was cut: ${error}`);
    }
  }

  #lose(): void {
    this.#losses++;
    this.isKnown = false;
    this.#waiting = [];
    this.#fetched = undefined;
    this.#fetch().catch((error) => {
      if (!this.hasEnded) this.violations.push(`${this.path}: it cannot be fetched: ${error}`);
    });
  }

  /** Fetches the list, and then creates an item, whose event comes after all that the list has. */
  async #fetch(): Promise<void> {
    const losses = this.#losses;
    const isLost = () => losses !== this.#losses || this.hasEnded;
    let answer = await this.#client.get(`${this.path}${LIST}`);
    while (answer.status === 503 && !isLost()) {
      await sleep(20);
      answer = await this.#client.get(`${this.path}${LIST}`);
    }
    if (isLost()) return;
    const { mark: fence } = this.#writes.add(this);
    this.#fetched = { items: answer.json<Todo[]>(), fence };
    while (!this.isKnown && !isLost()) {
      const created = await this.#client.post(`${this.path}${LIST}`, { title: fence });
      if (created.status === 503) await sleep(20);
      else if (created.status !== 201) throw new Error(created.text);
      else {
        await this.#client.delete(`${this.path}${itemPath(created.json().id)}`);
        return;
      }
    }
  }

  /** Knows the list when the stream has shown the item that was created after the list was fetched. */
  #resume(): void {
    const { items, fence } = this.#fetched ?? {};
    const isFence = (each: Commit[number]) => 'put' in each && each.put.title === fence;
    if (items === undefined || !this.#waiting.some((commit) => commit.some(isFence))) return;
    this.items = new Map(items.map((item) => [item.id, item]));
    for (const item of items) this.#writes.show(item, this.path);
    this.#hash = hashOf(items);
    this.#numbers = new Map();
    for (const commit of this.#waiting) for (const change of commit) this.#change(change);
    this.#waiting = [];
    this.isKnown = true;
    this.#count();
  }

  #apply(commit: Commit): void {
    this.#checkBulkWrite(commit);
    for (const change of commit) this.#change(change);
    this.#count();
  }

  #count(): void {
    this.#commits++;
    this.#numbers.set(this.#hash, this.#commits);
  }

  #change(change: Commit[number]): void {
    const id = 'put' in change ? change.put.id : change.deleted;
    const before = this.items.get(id);
    if (before) this.#hash ^= hashOf([before]);
    if ('put' in change) {
      this.items.set(id, change.put);
      this.#hash ^= hashOf([change.put]);
      this.#writes.show(change.put, this.path);
    } else this.items.delete(id);
  }

  /** A write to several items changes all that match in the state before it, and no others. */
  #checkBulkWrite(commit: Commit): void {
    const write = this.#bulkWriteOf(commit);
    if (write?.matches === undefined) return;
    const ids = new Set(commit.map((each) => ('put' in each ? each.put.id : each.deleted)));
    const matching = [...this.items.values()].filter(write.matches);
    const left = matching.filter(({ id }) => !ids.has(id)).length;
    const name = `${this.path}: the write "${write.mark}"`;
    if (left > 0) this.violations.push(`${name} has left ${left} of ${matching.length} items`);
    if (ids.size > matching.length - left) {
      this.violations.push(`${name} has changed ${ids.size}, but ${matching.length} items match`);
    }
    if (write.commit !== undefined) this.violations.push(`${name} has two commits`);
    write.commit = { losses: this.#losses, commits: this.#commits + 1 };
    write.expected = matching.length;
  }

  #bulkWriteOf(commit: Commit): Write | undefined {
    for (const change of commit) {
      if (!('put' in change)) continue;
      const before = this.items.get(change.put.id);
      const { description } = change.put;
      if (before && before.description !== description) return this.#writes.of(description);
    }
    return undefined;
  }

  /** Waits until the stream has shown all that has been written so far. */
  async catchUp(): Promise<void> {
    const fence = this.#writes.add(this);
    for (let i = 0; i < 1_000; i++) {
      const isDue = fence.status === undefined;
      const created = isDue
        ? await this.#client.post(`${this.path}${LIST}`, { title: fence.mark })
        : undefined;
      if (created?.status === 201) fence.status = 201;
      if (this.isKnown && fence.isShown) return;
      await sleep(20);
    }
    this.violations.push(`${this.path}: the stream does not show what was written`);
  }

  /** A client has read the whole list. @param since the last moment before it sent its request */
  readBy(reader: string, since: Moment | undefined, items: readonly Todo[]): void {
    if (items.some(({ id }, i) => id <= (items[i - 1]?.id ?? 0))) {
      this.violations.push(`${this.path}: the list for ${reader} is not in order`);
    }
    if (since !== undefined) this.#reads.push({ since, hash: hashOf(items), reader });
  }

  /** A client has deleted an item. */
  deleted(since: Moment | undefined, id: number): void {
    if (since !== undefined) this.#deletions.push({ since, id });
  }

  /** Compares all that clients have seen with the commits, after the last request. */
  async check(): Promise<void> {
    const answer = await this.#client.get(`${this.path}${LIST}`);
    const items = answer.json<Todo[]>();
    for (const item of items) this.#writes.show(item, this.path, this.resetAt);
    this.#writes.check(this);
    if (!this.isKnown) return;
    const hash = hashOf(items);
    if (hash !== this.#hash) this.violations.push(`${this.path}: events and list differ`);
    for (const { since, hash, reader } of this.#reads) {
      if (!this.isUnbroken(since) || (this.#numbers.get(hash) ?? -1) >= since.commits) continue;
      this.violations.push(`${this.path}: ${reader} has read a list that was never there`);
    }
    for (const { since, id } of this.#deletions) {
      if (!this.isUnbroken(since) || !this.items.has(id)) continue;
      this.violations.push(`${this.path}: item ${id} was deleted, and is there`);
    }
  }
}

/** A hash of items that does not depend on their order (FNV-1a, 32 bits for each item). */
function hashOf(items: readonly Todo[]): number {
  let all = 0;
  for (const item of items) {
    const text = JSON.stringify(item);
    let hash = 0x811c9dc5;
    for (let i = 0; i < text.length; i++) {
      hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    }
    all ^= hash;
  }
  return all;
}
