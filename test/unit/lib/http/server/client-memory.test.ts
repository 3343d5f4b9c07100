import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClientMemory, type MemoryUser } from '../../../../../src/lib/http/server/client-memory.ts';

const LIMIT = 1_000;

/** A connection whose properties the test sets. */
class User implements MemoryUser {
  bytes = 0;
  isClosed = false;
  isWaiting = true;
  isUnread = false;
  isSending = false;
  held = undefined;
  /** The bytes that it holds after it has been closed. */
  unfinishedBytes = 0;

  disconnect(): void {
    this.isClosed = true;
    this.isWaiting = false;
    this.bytes = this.unfinishedBytes;
  }
}

describe('client memory', () => {
  /** A memory with users that hold these bytes. */
  function memoryOf(...bytes: readonly number[]) {
    const memory = new ClientMemory(LIMIT);
    const users = bytes.map((each) => {
      const user = Object.assign(new User(), { bytes: each });
      memory.users.add(user);
      return user;
    });
    const closed = () => users.flatMap(({ isClosed }, i) => (isClosed ? [i] : []));
    return { memory, users, closed };
  }

  it('disconnects no client at the limit', () => {
    const { memory, closed } = memoryOf(600, 400);
    memory.check();
    assert.deepEqual([closed(), memory.isExceeded], [[], false]);
  });

  it('above the limit, disconnects the largest waiting clients, as few as necessary', () => {
    const { memory, closed } = memoryOf(100, 500, 450, 300, 400, 150);
    memory.check();
    assert.deepEqual([closed(), memory.isExceeded, memory.total], [[1, 2], false, 950]);
  });

  it('keeps clients whose requests are being handled, and is exceeded if they hold too much', () => {
    const { memory, users, closed } = memoryOf(900, 800, 500);
    for (const user of users.slice(0, 2)) user.isWaiting = false;
    memory.check();
    assert.deepEqual([closed(), memory.isExceeded], [[2], true]);
    users[0]?.disconnect();
    memory.check();
    assert.equal(memory.isExceeded, false);
  });

  it('is exceeded while unfinished work of disconnected clients holds too much', () => {
    const { memory, users, closed } = memoryOf(1_500, 400);
    for (const user of users) user.unfinishedBytes = user.bytes - 100;
    memory.check();
    assert.deepEqual([closed(), memory.isExceeded, memory.total], [[0], true, 1_800]);
    for (const user of users) user.unfinishedBytes = 0;
    users[0]?.disconnect();
    memory.check();
    assert.deepEqual([closed(), memory.isExceeded], [[0], false]);
  });

  it('is checked when more than an eighth of the limit has been added', () => {
    const { memory, closed } = memoryOf(2 * LIMIT);
    memory.recordGrowth(LIMIT / 8);
    assert.deepEqual([closed(), memory.isExceeded], [[], false]);
    memory.recordGrowth(1);
    assert.deepEqual(closed(), [0]);
  });

  it('can disconnect the largest client of a kind', () => {
    const { memory, users, closed } = memoryOf(10, 30, 20, 40);
    assert(!memory.disconnectLargest(({ isUnread }) => isUnread));
    for (const user of users.slice(0, 3)) user.isUnread = true;
    for (const expected of [[1], [1, 2], [0, 1, 2]]) {
      assert(memory.disconnectLargest((user) => user.isUnread && user.bytes > 0));
      assert.deepEqual(closed(), expected);
    }
  });
});
