import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { clock } from '../../../../../src/lib/clock.ts';
import {
  ClientMemory,
  type MemoryUser,
} from '../../../../../src/lib/http/server/connection/client-memory.ts';

const LIMIT = 1_000;
const QUIET_MS = 50;

/** A connection whose properties the test sets. */
class User implements MemoryUser {
  bytes = 0;
  isClosed = false;
  isWaiting = true;
  isUnread = false;
  isSending = false;
  quiet = QUIET_MS;

  quietMs(): number {
    return this.quiet;
  }

  disconnect(): void {
    this.isClosed = true;
    this.bytes = 0;
  }
}

describe('client memory', () => {
  let memory: ClientMemory;
  let timer: { readonly callback: () => void; readonly ms: number } | undefined;
  beforeEach(() => {
    timer = undefined;
    mock.method(clock, 'setTimeout', (callback: () => void, ms: number) => {
      timer = { callback, ms };
      return { unref: () => timer };
    });
    mock.method(clock, 'clear', () => {
      timer = undefined;
    });
    memory = new ClientMemory(LIMIT);
  });
  afterEach(() => mock.restoreAll());

  /** Users with these bytes. */
  function users(...bytes: readonly number[]): User[] {
    return bytes.map((each) => {
      const user = Object.assign(new User(), { bytes: each });
      memory.users.add(user);
      return user;
    });
  }

  const closed = (all: readonly User[]) => all.flatMap(({ isClosed }, i) => (isClosed ? [i] : []));

  it('is the sum over all users', () => {
    const [a] = users(100, 200);
    assert.equal(memory.total, 300);
    a?.disconnect();
    assert.equal(memory.total, 200);
  });

  it('disconnects no client at the limit', () => {
    const all = users(600, 400);
    memory.check();
    assert.deepEqual([closed(all), memory.isExceeded, timer], [[], false, undefined]);
  });

  it('above the limit, disconnects the largest waiting clients, as few as necessary', () => {
    const all = users(100, 500, 450, 300);
    memory.check();
    assert.deepEqual([closed(all), memory.isExceeded], [[1], false]);
    const more = users(400, 150);
    memory.check();
    assert.deepEqual([closed(all), closed(more)], [[1, 2], []]);
  });

  it('disconnects the client that has been quiet longest among equally large clients', () => {
    const all = users(400, 400, 400);
    const [, longest] = all;
    assert(longest);
    longest.quiet = 2 * QUIET_MS;
    memory.check();
    assert.deepEqual(closed(all), [1]);
  });

  it('keeps clients that are being served, or were active less than 50 ms ago', () => {
    const all = users(900, 800, 500, 600);
    const [served, active] = all;
    assert(served && active);
    served.isWaiting = false;
    active.quiet = QUIET_MS - 1;
    memory.check();
    assert.deepEqual([closed(all), memory.isExceeded], [[2, 3], true]);
  });

  it('keeps clients with less than half of the average of all, before any is closed', () => {
    const [busy, ...others] = users(1_500, 600, 299, 300, 99, 1_302);
    assert(busy);
    busy.isWaiting = false;
    users(500).forEach((user) => {
      user.isClosed = true;
    });
    memory.check();
    // 4,100 bytes in six open connections: half of the average is 342.
    assert.deepEqual([closed(others), memory.isExceeded], [[0, 4], true]);
  });

  it('is checked again after 50 ms if it is still exceeded', () => {
    const all = users(2 * LIMIT);
    const [a] = all;
    assert(a);
    a.quiet = 0;
    memory.check();
    assert.deepEqual([memory.isExceeded, timer?.ms], [true, QUIET_MS]);
    a.quiet = QUIET_MS;
    timer?.callback();
    assert.deepEqual([closed(all), memory.isExceeded, timer], [[0], false, undefined]);
  });

  it('is checked when more than an eighth of the limit has been added', () => {
    const all = users(2 * LIMIT);
    memory.add(LIMIT / 8);
    assert.deepEqual([closed(all), memory.isExceeded], [[], false]);
    memory.add(1);
    assert.deepEqual(closed(all), [0]);
    const more = users(2 * LIMIT);
    memory.add(LIMIT / 8);
    assert.deepEqual(closed(more), [], 'counts from the last check');
  });

  it('drops users that are closed and hold no memory', () => {
    const [a, b] = users(10, 10);
    assert(a && b);
    a.isClosed = true;
    memory.check();
    assert.equal(memory.users.size, 2);
    a.bytes = 0;
    memory.check();
    assert.deepEqual([...memory.users], [b]);
  });

  it('can disconnect the largest client of a kind', () => {
    const all = users(10, 30, 20, 40);
    assert(!memory.disconnectLargest(({ isUnread }) => isUnread));
    for (const user of all.slice(0, 3)) user.isUnread = true;
    for (const expected of [[1], [1, 2], [0, 1, 2]]) {
      assert(memory.disconnectLargest(({ isUnread, isClosed }) => isUnread && !isClosed));
      assert.deepEqual(closed(all), expected);
    }
  });
});
