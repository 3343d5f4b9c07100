import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { clock } from '../../../../src/lib/clock.ts';
import {
  ClientMemory,
  type MemoryUser,
} from '../../../../src/lib/http/server/connection/client-memory.ts';

function users(names: string) {
  const cut: string[] = [];
  const all = [...names].map((name) => {
    const state = { isWaiting: true, isUnread: false, isSendingSteps: false, progress: false };
    const user = {
      ...state,
      disconnect: () => cut.push(name),
      hasProgressed: () => {
        const had = user.progress;
        user.progress = false;
        return had;
      },
    };
    return user satisfies MemoryUser;
  });
  return { all, cut };
}

describe('client memory', () => {
  let now = 0;
  let stepMs = 10;
  beforeEach(() => {
    stepMs = 10;
    mock.method(clock, 'now', () => {
      now += stepMs;
      return now;
    });
  });

  it('does not look for something to cut all the time', () => {
    stepMs = 0;
    const memory = new ClientMemory(1_000);
    const { all, cut } = users('abc');
    const [a, b, c] = all;
    assert(a && b && c);
    for (const user of [a, b]) user.isWaiting = false;
    memory.progress(a, 600);
    memory.progress(b, 600);
    a.isWaiting = true;
    memory.progress(c, 10);
    assert.deepEqual(cut, [], 'nothing could be cut a moment ago');
    now += 10;
    memory.progress(c, 10);
    assert.deepEqual(cut, ['a']);
  });

  it('is the sum over all users', () => {
    const memory = new ClientMemory(1_000);
    const [a, b] = users('ab').all;
    assert(a && b);
    memory.progress(a, 100);
    memory.progress(b, 200);
    memory.progress(a, 50);
    assert.equal(memory.total, 250);
    memory.remove(b);
    memory.remove(b);
    assert.equal(memory.total, 50);
  });

  it('past the limit, cuts the user that has kept the server waiting longest', () => {
    const memory = new ClientMemory(1_000);
    const { all, cut } = users('abcd');
    const [a, b, c, d] = all;
    assert(a && b && c && d);
    memory.progress(a, 400);
    memory.progress(b, 400);
    memory.progress(a, 400);
    memory.progress(c, 200);
    assert.deepEqual(cut, [], 'holding exactly the limit is allowed');
    memory.progress(d, 1);
    assert.deepEqual(cut, ['b'], 'a has made progress since');
    memory.progress(d, 500);
    assert.deepEqual(cut, ['b', 'a']);
    assert.equal(memory.total, 700);
  });

  it('spares a user whose progress was not recorded yet', () => {
    const memory = new ClientMemory(1_000);
    const { all, cut } = users('abcd');
    const [a, b, c, d] = all;
    assert(a && b && c && d);
    for (const user of [a, b, c]) memory.progress(user, 300);
    a.progress = true;
    memory.progress(d, 200);
    assert.deepEqual(cut, ['b']);
    assert.equal(memory.total, 800);
    memory.progress(d, 450);
    assert.deepEqual(cut, ['b', 'c']);
  });

  it('spares users of next to nothing while others hold much', () => {
    const memory = new ClientMemory(1_000);
    const { all, cut } = users('abcde');
    const [a, b, c, d, e] = all;
    assert(a && b && c && d && e);
    for (const user of [a, b, c]) memory.progress(user, 10);
    memory.progress(d, 900);
    memory.progress(e, 400);
    assert.deepEqual(cut, ['d']);
  });

  it('spares a user that has just made progress', () => {
    const memory = new ClientMemory(100);
    const [a, b] = users('ab').all;
    assert(a && b);
    a.isWaiting = false;
    memory.progress(a, 80);
    memory.progress(b, 40);
    assert.equal(memory.total, 120);
    memory.progress(b, 60);
    assert.equal(memory.total, 80, 'except one that holds half of the limit');
  });

  it('cuts idle clients if they are many, as few as necessary', () => {
    const memory = new ClientMemory(100);
    const { all, cut } = users('abcdefghijkl');
    for (const user of all) memory.progress(user, 10);
    assert.deepEqual(cut, ['a', 'b']);
    assert.equal(memory.total, 100);
  });

  it('spares clients being served', () => {
    const memory = new ClientMemory(100);
    const { all, cut } = users('ab');
    const [a, b] = all;
    assert(a && b);
    a.isWaiting = false;
    memory.progress(a, 300);
    assert.deepEqual(cut, []);
    assert(memory.isExceeded);
    memory.progress(b, 1);
    memory.progress(a, 300);
    assert.deepEqual(cut, [], 'cutting an idle client would free next to nothing');
    memory.progress(b, 60);
    assert.deepEqual(cut, ['b']);
  });

  it('can cut a client that reads nothing, for other reasons', () => {
    const memory = new ClientMemory(100);
    const { all, cut } = users('abc');
    const isUnread = (user: MemoryUser) => user.isUnread === true;
    for (const user of all) memory.progress(user, 10);
    assert.equal(memory.disconnectLongest(isUnread), false);
    for (const user of all.slice(1)) user.isUnread = true;
    assert.equal(memory.disconnectLongest(isUnread), true);
    assert.deepEqual(cut, ['b']);
    assert.equal(memory.total, 20);
  });

  it('can cut a client that is sent chunks, for other reasons', () => {
    const memory = new ClientMemory(100);
    const { all, cut } = users('abc');
    const isSending = (user: MemoryUser) => user.isSendingSteps === true;
    for (const user of all) memory.progress(user, 10);
    for (const user of all.slice(0, 2)) user.isSendingSteps = true;
    for (const user of all.slice(0, 1)) memory.progress(user, 10);
    assert.equal(memory.disconnectLongest(isSending), true);
    assert.equal(memory.disconnectLongest(isSending), true);
    assert.equal(memory.disconnectLongest(isSending), false);
    assert.deepEqual(cut, ['b', 'a']);
  });
});
