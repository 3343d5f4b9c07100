import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { clock } from '../../../../src/lib/clock.ts';
import {
  ClientMemory,
  type MemoryUser,
} from '../../../../src/lib/http/server/connection/client-memory.ts';

const LIMIT = 1_000;

/** A connection of which the test says what it holds. */
class User implements MemoryUser {
  bytes = 0;
  isClosed = false;
  isWaiting = true;
  isUnread = false;
  isSendingSteps = false;
  since = 0;
  readonly #memory: ClientMemory;

  constructor(memory: ClientMemory, since: number) {
    this.#memory = memory;
    this.since = since;
    memory.users.add(this);
  }

  hold(bytes: number): void {
    const added = bytes - this.bytes;
    this.bytes = bytes;
    if (added > 0) this.#memory.add(added);
    endPause();
  }

  quietSince(now: number): number {
    return Math.min(this.since, now);
  }

  disconnect(): void {
    this.isClosed = true;
    this.bytes = 0;
  }
}

let endPause = () => {};

describe('client memory', () => {
  let memory: ClientMemory;
  beforeEach(() => {
    mock.method(clock, 'setTimeout', (callback: () => void) => {
      endPause = () => {
        endPause = () => {};
        callback();
      };
      return { unref: () => {} };
    });
    memory = new ClientMemory(LIMIT);
  });
  afterEach(() => mock.restoreAll());

  /** Users, the first of which has been quiet longest. */
  const users = <N extends number>(count: N) =>
    Array.from({ length: count }, (_, i) => new User(memory, i));

  const closed = (all: readonly User[]) => all.flatMap(({ isClosed }, i) => (isClosed ? [i] : []));

  it('is the sum over all users', () => {
    const [a, b] = users(2);
    a?.hold(100);
    b?.hold(200);
    a?.hold(50);
    assert.equal(memory.total, 250);
    b?.disconnect();
    assert.equal(memory.total, 50);
  });

  it('past the limit, disconnects those that have been quiet longest, as few as necessary', () => {
    const all = users(4);
    for (const user of all.slice(0, 3)) user.hold(LIMIT / 3);
    assert.deepEqual(closed(all), [], 'holding the limit is allowed');
    assert(!memory.isExceeded);
    all[3]?.hold(1);
    assert.deepEqual(closed(all), [0]);
    const [, , , d] = all;
    if (d) d.since = Number.POSITIVE_INFINITY;
    d?.hold(400);
    assert.deepEqual(closed(all), [0, 1]);
    assert(!memory.isExceeded);
  });

  it('notices what is held no more before it disconnects anyone', () => {
    const all = users(3);
    for (const user of all) {
      user.hold(700);
      user.hold(100);
    }
    assert.deepEqual(closed(all), []);
  });

  it('lets go of users that are closed, once nothing works for them', () => {
    const [a, b] = users(2);
    assert(a && b);
    a.hold(10);
    a.isClosed = true;
    memory.look();
    assert.equal(memory.users.size, 2);
    a.bytes = 0;
    memory.look();
    assert.deepEqual([...memory.users], [b]);
  });

  it('spares who has just made progress, unless it holds half of the limit', () => {
    const all = users(3);
    const [a, b, c] = all;
    assert(a && b && c);
    a.since = b.since = Number.POSITIVE_INFINITY;
    c.isWaiting = false;
    a.hold(400);
    b.hold(100);
    c.hold(900);
    assert.deepEqual(closed(all), []);
    assert(memory.isExceeded);
    a.hold(600);
    assert.deepEqual(closed(all), [0]);
  });

  it('spares users of next to nothing while others hold much', () => {
    const all = users(5);
    for (const user of all.slice(0, 3)) user.hold(10);
    all[3]?.hold(900);
    all[4]?.hold(400);
    assert.deepEqual(closed(all), [3]);
  });

  it('disconnects idle clients if they are many', () => {
    const all = users(12);
    for (const user of all) user.hold(LIMIT / 10);
    assert.deepEqual(closed(all), [0, 1]);
    assert.equal(memory.total, LIMIT);
  });

  it('spares clients being served, and idle ones that would free next to nothing', () => {
    const all = users(2);
    const [a, b] = all;
    assert(a && b);
    a.isWaiting = false;
    a.hold(3 * LIMIT);
    b.hold(1);
    assert.deepEqual(closed(all), []);
    assert(memory.isExceeded);
  });

  it('does not look for something to disconnect all the time', () => {
    const all = users(2);
    const [a] = all;
    assert(a);
    a.isWaiting = false;
    a.hold(2 * LIMIT);
    a.isWaiting = true;
    memory.add(1);
    assert.deepEqual(closed(all), [], 'nothing could be disconnected a moment ago');
    endPause();
    assert.deepEqual(closed(all), [0]);
  });

  it('is not exceeded by what has come and gone since the last look', () => {
    const [a] = users(1);
    assert(a);
    memory.look();
    for (let i = 0; i < 3; i++) memory.add(LIMIT);
    assert(!memory.isExceeded);
    a.isWaiting = false;
    a.bytes = 2 * LIMIT;
    memory.add(2 * LIMIT);
    assert(memory.isExceeded);
  });

  it('refuses as many requests that wait as hold what is too much', () => {
    const all = users(10);
    let refused = 0;
    memory.onShortage(() => refused++ < 100);
    for (const user of all) user.isWaiting = false;
    for (const user of all) user.bytes = LIMIT / 8;
    memory.add(10 * (LIMIT / 8));
    assert.equal(refused, 2);
  });

  it('can disconnect a client of a kind, for other reasons: the one quiet longest', () => {
    const all = users(4);
    assert.equal(
      memory.disconnectLongest(({ isUnread }) => isUnread),
      false,
    );
    for (const user of all.slice(1)) user.isUnread = true;
    const [, b] = all;
    if (b) b.since = 5;
    for (const expected of [[2], [2, 3], [1, 2, 3]]) {
      assert(memory.disconnectLongest(({ isUnread, isClosed }) => isUnread && !isClosed));
      assert.deepEqual(closed(all), expected);
    }
  });
});
