import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../../../../src/lib/clock.ts';
import type { CommitEvents } from '../../../../../src/lib/http/events/event-history.ts';
import { EventHub } from '../../../../../src/lib/http/events/event-hub.ts';
import type { StreamWriter } from '../../../../../src/lib/http/messages/response.ts';
import { type ByteString, byteString } from '../../../../../src/lib/json/byte-string.ts';
import { ManualClock, ManualTimers } from '../../../../support/clock.ts';
import { turns } from '../../../../support/raw.ts';
import { turnsUntil } from '../../../../support/within.ts';

const HISTORY_BYTES = 1024 * 1024;

/** A client that reads all bytes in the next tick. Until then, its writer is not drained. */
class QuickClient implements StreamWriter {
  isDrained = true;
  hasEnded = false;
  /** Whether it stops reading. */
  isStuck = false;
  text = '';
  #onDrain = () => {};
  #onClose = () => {};

  write(text: string): void {
    this.text += text;
    this.isDrained = false;
    process.nextTick(() => {
      if (this.isStuck) return;
      this.isDrained = true;
      this.#onDrain();
    });
  }

  on(event: 'drain' | 'close' | 'end', callback: () => void): void {
    if (event === 'drain') this.#onDrain = callback;
    if (event === 'close') this.#onClose = callback;
  }

  /** Reads again, and all that it was sent. */
  read(): void {
    this.isStuck = false;
    this.isDrained = true;
    this.#onDrain();
  }

  leave(): void {
    this.#onClose();
  }

  /** How many events it has been sent that begin with a text. */
  count(beginning: string): number {
    return this.text.split('\n\n').filter((part) => part.startsWith(beginning)).length;
  }

  /** Waits until it has been sent a text. */
  sees(text: string): Promise<void> {
    const isSent = () => this.text.includes(text, this.text.length - 1_000);
    return turnsUntil(`the text ${text}`, () => isSent());
  }

  end(): void {
    this.hasEnded = true;
  }
}

/** A client whose socket takes all bytes at once, so that it never drains. */
class EagerClient extends QuickClient {
  override write(text: string): void {
    this.text += text;
  }
}

/** A commit of one event. */
function commit(number: number, data: ByteString): CommitEvents {
  const events = () => [{ event: byteString('changed'), data }];
  return { number, batches: [{ events, bytes: data.length }] };
}

const EVERY_15_S = 15_000;

/** A hub that allows a number of streams. */
function newHub(maxStreams: number, maxHistoryBytes: number, onStreamReset = () => {}): EventHub {
  const isFull = () => hub.size >= maxStreams;
  const hub = new EventHub(() => 'run', { isFull, maxHistoryBytes, onStreamReset });
  return hub;
}

/** A hub with open streams, whose clients have read all events sent to them. */
async function hubWith(size: number, maxHistoryBytes = HISTORY_BYTES, onStreamReset = () => {}) {
  const hub = newHub(size, maxHistoryBytes, onStreamReset);
  const clients = Array.from({ length: size }, () => new QuickClient());
  for (const client of clients) hub.open(undefined)(client);
  await turns(1);
  const [client = assert.fail()] = clients;
  return { hub, clients, client };
}

/** A hub whose delays end in the next turn, and clients that take all bytes at once. */
async function hubThatSendsAtOnce(test: TestContext, size: number) {
  const hub = newHub(size, HISTORY_BYTES);
  const clients = Array.from({ length: size }, () => new EagerClient());
  for (const client of clients) hub.open(undefined)(client);
  await turns(1);
  test.mock.method(clock, 'setTimeout', (callback: () => void) => {
    setImmediate(callback);
    return setTimeout(() => {}, 0).unref();
  });
  const countSent = () => clients.filter(({ text }) => text.includes('event: changed')).length;
  return { hub, clients, countSent };
}

/** Waits until all clients are sent a text. @returns the most that were sent it in one turn */
async function mostInOneTurn(clients: readonly QuickClient[], wanted: string): Promise<number> {
  let most = 0;
  let before = 0;
  await turnsUntil('all are sent it', () => {
    const sent = clients.filter(({ text }) => text.includes(wanted)).length;
    most = Math.max(most, sent - before);
    before = sent;
    return sent === clients.length;
  });
  return most;
}

it('ends streams that begin when too many are open', () => {
  const hub = newHub(1, 1000);
  const contents = [hub.open(undefined), hub.open(undefined)];
  const [first, second] = [new QuickClient(), new QuickClient()];
  contents[0]?.(first);
  contents[1]?.(second);
  assert.deepEqual([hub.size, first.hasEnded, second.hasEnded], [1, false, true]);
  assert.throws(() => hub.open(undefined), { code: 'overloaded' });
  hub.endStreams();
  hub.open(undefined);
});

it('a commit of very many events reaches a client', async () => {
  const { hub, client } = await hubWith(1, 16 * HISTORY_BYTES);
  const event = { event: byteString('delete'), data: byteString('{"id":1}') };
  const events = Array.from({ length: 200 }, () => event);
  const batch = { events: () => events, bytes: 100 };
  hub.publish({ number: 1, batches: Array.from({ length: 1000 }, () => batch) });
  await client.sees('id: run.1\n');
  assert.equal(client.text.match(/^event: delete$/gm)?.length, 200_000);
  assert.equal(client.text.match(/^id: run\.1$/gm)?.length, 1);
});

it('clients that have seen different events are sent the rest in as many turns', async () => {
  const clients = Array.from({ length: 16 }, () => new QuickClient());
  const hub = newHub(16, HISTORY_BYTES);
  for (let number = 1; number <= 20; number++) hub.publish(commit(number, byteString('{}')));
  for (const [seen, client] of clients.entries()) hub.open(`run.${seen}`)(client);
  assert.equal(await mostInOneTurn(clients, 'event: changed'), 1);
});

it('clients that have seen the same events are sent the rest by the hundred', async () => {
  const { hub, clients } = await hubWith(250);
  hub.publish(commit(1, byteString('{}')));
  const most = await mostInOneTurn(clients, 'event: changed');
  assert(most <= 100, `${most}`);
});

it('a client that reads again, and a commit, while others are sent the rest, do not add to them', async (test) => {
  const { hub, clients, countSent } = await hubThatSendsAtOnce(test, 550);
  hub.publish(commit(1, byteString('{}')));
  await turnsUntil('the first are sent it', () => countSent() > 0);
  clients.at(-1)?.read();
  hub.publish(commit(2, byteString('{"second":true}')));
  const most = await mostInOneTurn(clients, 'event: changed');
  assert(most <= 100, `${most}`);
  await Promise.all(clients.map((client) => client.sees('id: run.2\n')));
  for (const client of clients) assert.equal(client.count('event: changed'), 2);
});

it('a commit while others are sent the rest reaches those that have been sent it', async (test) => {
  const { hub, clients, countSent } = await hubThatSendsAtOnce(test, 350);
  hub.publish(commit(1, byteString('{}')));
  await turnsUntil('the first are sent it', () => countSent() > 0);
  hub.publish(commit(2, byteString('{}')));
  await turnsUntil('more are sent it', () => countSent() >= 200);
  const sent = clients.filter(({ text }) => text.includes('event: changed'));
  for (const client of clients) if (!sent.includes(client)) client.leave();
  await Promise.all(sent.map((client) => client.sees('id: run.2\n')));
});

it('a client that has not been sent the last commits before a reset gets just the reset', async () => {
  const { hub, client } = await hubWith(1);
  hub.publish(commit(1, byteString('{}')));
  hub.reset(2);
  await client.sees('id: run.2\n');
  assert.deepEqual(client.text.match(/^event: .*$/gm), ['event: ready', 'event: reset']);
});

it('sends reset to a client that returns after it, even if no stream was open', async () => {
  for (const count of [0, 1]) {
    const hub = newHub(2, HISTORY_BYTES);
    for (let i = 0; i < count; i++) hub.open(undefined)(new QuickClient());
    hub.publish(commit(1, byteString('{}')));
    await turns(1);
    hub.reset(2);
    const client = new QuickClient();
    hub.open('run.1')(client);
    await client.sees('event: reset');
    assert.deepEqual(client.text.match(/^event: .*$/gm), ['event: ready', 'event: reset']);
  }
});

describe('heartbeats', () => {
  it('go to every stream that is open and reads', async (test) => {
    const time = new ManualClock(test);
    const { clients } = await hubWith(3);
    const beats = () => clients.map((client) => client.count('event: ping\ndata: {}'));
    await time.advance(EVERY_15_S - 1);
    assert.deepEqual(beats(), [0, 0, 0]);
    await time.advance(1);
    assert.deepEqual(beats(), [1, 1, 1]);
    const [gone, stuck, last] = clients;
    assert(gone && stuck && last);
    gone.leave();
    stuck.isStuck = true;
    await time.advance(EVERY_15_S);
    await time.advance(EVERY_15_S);
    assert.deepEqual(beats(), [1, 2, 3]);
    // Without an id, after which a client would go on.
    assert.match(last.text, /\n\nevent: ping\ndata: \{\}\n\nevent: ping/);
  });

  it('go to a hundred streams in a turn', async (test) => {
    const time = new ManualClock(test);
    const { clients } = await hubWith(250);
    const advanced = time.advance(EVERY_15_S);
    const most = await mostInOneTurn(clients, 'event: ping');
    assert(most <= 100, `${most}`);
    await advanced;
  });

  it('have the same interval for a stream that opens after all others have closed', async (test) => {
    const time = new ManualClock(test);
    const { hub, clients } = await hubWith(2);
    for (const client of clients) client.leave();
    assert.equal(hub.size, 0);
    const client = new QuickClient();
    hub.open(undefined)(client);
    await turns(1);
    await time.advance(EVERY_15_S);
    assert.equal(client.count('event: ping\ndata: {}'), 1);
  });
});

describe('events', () => {
  const many = byteString('x'.repeat(HISTORY_BYTES / 2));

  it('are sent after a delay, or at once if they have many bytes', async (test) => {
    const timers = new ManualTimers(test, (ms) => ms > 0);
    const { hub, client } = await hubWith(1);
    hub.publish(commit(1, many));
    await client.sees('id: run.1\n');
    hub.publish(commit(2, byteString('{}')));
    hub.publish(commit(3, byteString('{}')));
    await turns(50);
    assert.equal(client.count('event: changed'), 1);
    await timers.end();
    assert.equal(client.count('event: changed'), 3);
    hub.publish(commit(4, byteString('{}')));
    hub.publish(commit(5, many));
    await client.sees('id: run.5\n');
    await timers.end();
  });

  it('are replaced by `reset` for a client that lacks some which the history has dropped', async () => {
    let resets = 0;
    const { hub, clients } = await hubWith(2, HISTORY_BYTES, () => resets++);
    const [stuck = new QuickClient(), reading = new QuickClient()] = clients;
    stuck.isStuck = true;
    for (let number = 1; number <= 5; number++) {
      hub.publish(commit(number, many));
      await reading.sees(`id: run.${number}\n`);
    }
    assert.equal(reading.count('event: changed'), 5);
    assert.deepEqual([hub.size, resets, stuck.count('event: reset')], [2, 0, 0]);
    stuck.read();
    await stuck.sees('event: reset\ndata: {}\nid: run.5\n\n');
    hub.publish(commit(6, byteString('{}')));
    await stuck.sees('id: run.6\n');
    assert.deepEqual(
      [resets, stuck.count('event: reset'), reading.count('event: reset')],
      [1, 1, 0],
    );
  });

  it('are not made if those of a commit do not fit the history', async () => {
    const { hub, client } = await hubWith(1);
    const events = () => assert.fail('they are made');
    hub.publish({ number: 1, batches: [{ events, bytes: HISTORY_BYTES + 1 }] });
    await client.sees('event: reset\ndata: {}\nid: run.1\n\n');
  });
});

it('begins a stream with a retry time of one second', async () => {
  const { client } = await hubWith(1);
  assert.equal(client.text, 'retry: 1000\nevent: ready\ndata: {}\nid: run.0\n\n');
});
