import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Reading } from '../../../../../src/lib/http/server/reading.ts';

/** The objects after which all connections are held. */
const LIMIT = 1_024;

/** The same in a turn in which a connection is accepted, and in the next one. */
const LIMIT_AT_ACCEPT = 64;

class Reader {
  readonly socket = new Socket();
  isClosed = false;
  isHeld = false;
  readonly #released: Reader[];

  constructor(released: Reader[]) {
    this.#released = released;
  }

  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    this.#released.push(this);
  }
}

/** A reading of as many connections. `released` has those that were released, in order. */
function readingOf(count: number) {
  const released: Reader[] = [];
  const readers = Array.from({ length: count }, () => new Reader(released));
  const open = new Map(readers.map((each) => [each.socket, each]));
  const reading = new Reading(open);
  const record = (reader: Reader | undefined, objects: number) => {
    for (let i = 0; i < objects; i++) reading.record(reader ?? assert.fail());
  };
  const close = (reader: Reader | undefined) => {
    Object.assign(reader ?? assert.fail(), { isClosed: true });
    open.delete((reader ?? assert.fail()).socket);
  };
  return { reading, readers, released, record, close };
}

describe('reading', () => {
  it('goes on below the limit of a turn', async () => {
    const { readers, record } = readingOf(3);
    for (let turn = 0; turn < 3; turn++) {
      record(readers[0], LIMIT - 1);
      assert(readers.every(({ isHeld }) => !isHeld));
      await nextTurn();
    }
  });

  it('stops at the limit, and goes on in the next turn with all but the slow one', async () => {
    const { readers, released, record } = readingOf(3);
    const [first, second, third] = readers;
    record(second, LIMIT / 2);
    record(first, LIMIT / 2);
    assert(readers.every(({ isHeld }) => isHeld));
    await nextTurn();
    assert.deepEqual(released, [third, second]);
    await nextTurn();
    assert.deepEqual(released, [third, second, first]);
    await nextTurn();
    assert.equal(released.length, 3);
  });

  it('begins with the newest connection and with the oldest in turn', async () => {
    const { readers, released, record } = readingOf(4);
    const [oldest, second, third, newest] = readers;
    record(second, LIMIT);
    await nextTurn();
    assert.deepEqual(released.splice(0), [newest, third, oldest]);
    record(third, LIMIT);
    await nextTurn();
    assert.deepEqual(released.splice(0), [oldest, newest]);
    await nextTurn();
    await nextTurn();
    assert.deepEqual(released, [second, third]);
  });

  it('forgets a slow connection that has closed', async () => {
    const { readers, released, record, close } = readingOf(2);
    const [first, second] = readers;
    record(first, LIMIT);
    close(first);
    await nextTurn();
    await nextTurn();
    assert.deepEqual(released, [second]);
  });

  it('stops at a lower limit while connections are accepted, and in the turn after the last one', async () => {
    const { reading, readers, released, record } = readingOf(3);
    const [first, second, third] = readers;
    reading.accept();
    record(first, LIMIT_AT_ACCEPT - 1);
    assert(readers.every(({ isHeld }) => !isHeld));
    await nextTurn();
    record(second, LIMIT_AT_ACCEPT);
    assert(readers.every(({ isHeld }) => isHeld));
    await nextTurn();
    assert.deepEqual(released, [third, first]);
    record(third, LIMIT - 1);
    assert(!third?.isHeld, 'nobody is accepted any more');
  });

  it('waits while others are accepted, which are held too, for 512 turns at most', async () => {
    const { reading, readers, released, record } = readingOf(2);
    assert.equal(reading.accept(), false);
    record(readers[0], LIMIT);
    for (let turn = 0; turn < 512; turn++) {
      assert.equal(reading.accept(), true);
      await nextTurn();
      assert.deepEqual(released, []);
    }
    assert.equal(reading.accept(), true);
    await nextTurn();
    assert.deepEqual(released, [readers[1]]);
    assert.equal(reading.accept(), false);
  });
});
