import type { Todo } from '../../support/requests.ts';
import type { ListView, Moment } from './list-view.ts';

/** A write that a client sends. It leaves its mark, as the title or the description of items. */
export interface Write {
  readonly mark: string;
  readonly list: ListView;
  readonly since: Moment | undefined;
  /** Of a write to several items: whether it changes an item. */
  readonly matches: ((item: Todo) => boolean) | undefined;
  /** The status of its response; undefined while there is none. */
  status: number | undefined;
  /** The number of items in the response to a write to several. */
  count: number | undefined;
  endedAt: number;
  isShown: boolean;
  /** Of a write to several items: its commit, and how many items matched it then. */
  commit: Moment | undefined;
  expected: number | undefined;
}

const MARK = /^w\d+$/;

/** All writes of a round, by their marks. */
export class Writes {
  readonly #all = new Map<string, Write>();
  readonly #ordered: (readonly [Write, Write])[] = [];
  readonly #violations: string[];

  constructor(violations: string[]) {
    this.#violations = violations;
  }

  add(list: ListView, matches?: (item: Todo) => boolean): Write {
    const write: Write = {
      ...{ mark: `w${this.#all.size}`, list, since: list.moment, matches },
      ...{ status: undefined, count: undefined, endedAt: Number.POSITIVE_INFINITY },
      ...{ isShown: false, commit: undefined, expected: undefined },
    };
    this.#all.set(write.mark, write);
    return write;
  }

  of(mark: string | null): Write | undefined {
    return mark === null ? undefined : this.#all.get(mark);
  }

  /** The service had the first one when the second one was sent. */
  inOrder(first: Write, second: Write): void {
    this.#ordered.push([first, second]);
  }

  /** An item is seen. @param resetAt when the reset was sent that has made its list */
  show({ title, description }: Todo, path: string, resetAt = Number.NEGATIVE_INFINITY): void {
    for (const mark of [title, description]) {
      const write = this.of(mark);
      if (write !== undefined) write.isShown = true;
      if (write === undefined ? MARK.test(mark ?? '') : write.list.path !== path) {
        this.#violations.push(`${path}: nobody has written "${mark}" there`);
      }
      if (write !== undefined && write.endedAt < resetAt) {
        this.#violations.push(`${path}: "${mark}" is from before the reset`);
      }
    }
  }

  /** Compares the responses to the writes to a list with what has been seen. */
  check(list: ListView): void {
    for (const write of this.#all.values()) if (write.list === list) this.#check(write);
    for (const [first, second] of this.#ordered) {
      const [a, b] = [first.commit, second.commit];
      if (first.list !== list || a === undefined || b === undefined) continue;
      if (a.losses !== b.losses || a.commits < b.commits) continue;
      this.#violations.push(`${list.path}: "${second.mark}" has overtaken "${first.mark}"`);
    }
  }

  #check({ mark, list, since, status, count, isShown, expected }: Write): void {
    const say = (what: string) =>
      this.#violations.push(`${list.path}: the write "${mark}" ${what}`);
    if (status === undefined) return;
    if (status >= 400 && isShown) say(`got ${status}, and was carried out`);
    const isDone = status < 400 && count !== 0;
    if (isDone && !isShown && list.isUnbroken(since)) say(`got ${status}, and is not there`);
    if (expected !== undefined && count !== undefined && count !== expected) {
      say(`says ${count} items, but ${expected} matched`);
    }
  }
}
