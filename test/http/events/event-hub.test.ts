import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Steps, StreamWriter } from '../../../src/http/core/response.ts';
import type { CommitEvents } from '../../../src/http/events/event-history.ts';
import { EventHub } from '../../../src/http/events/event-hub.ts';
import { type ByteString, byteString } from '../../../src/json/byte-string.ts';
import { turns } from '../../support/raw.ts';

const HISTORY_BYTES = 1024 * 1024;

/** A client that takes everything in the next tick, but of which no write is drained before. */
class QuickClient implements StreamWriter {
  isDrained = true;
  isCut = false;
  text = '';
  #onDrain = () => {};

  write(text: string): void {
    this.text += text;
    this.isDrained = false;
    process.nextTick(() => {
      this.isDrained = true;
      this.#onDrain();
    });
  }

  on(event: 'drain' | 'close' | 'end', callback: () => void): void {
    if (event === 'drain') this.#onDrain = callback;
  }

  /** Waits until it has been sent a text; if it never is, the test ends at its limit. */
  async sees(text: string): Promise<void> {
    while (!this.text.includes(text, this.text.length - 1_000) && !this.isCut) await turns(1);
  }

  disconnect(): void {
    this.isCut = true;
  }

  end(): void {}
}

/** A commit of one event. */
function commit(number: number, data: ByteString): CommitEvents {
  const events = () => [{ event: byteString('changed'), data }];
  return { number, batches: [{ events, bytes: data.length }] };
}

function runAtOnce(steps: Steps): void {
  while (!steps.next().done);
}

it('a client that reads all it is sent gets every event, however many there are', async () => {
  const limits = { maxStreams: 1, maxHistoryBytes: HISTORY_BYTES };
  const hub = new EventHub(() => 'run', limits, runAtOnce);
  const client = new QuickClient();
  hub.open(undefined).open(client);
  const data = byteString('x'.repeat(20_000));
  for (let number = 1; number <= 100; number++) {
    hub.publish(commit(number, data));
    if (number % 25 === 0) await client.sees(`id: run.${number}\n`);
  }
  assert(!client.isCut);
  assert.equal(client.text.match(/^event: changed$/gm)?.length, 100);
});

it('knows whether anybody can have an id to go on from', () => {
  const hub = new EventHub(() => 'run', { maxStreams: 1, maxHistoryBytes: 1000 }, runAtOnce);
  assert.equal(hub.hasBeenOpened, false);
  const client = new QuickClient();
  hub.open(undefined).open(client);
  hub.endOpen();
  assert.equal(hub.hasBeenOpened, true);
});

it('a commit of very many events reaches a client', async () => {
  const hub = new EventHub(
    () => 'run',
    { maxStreams: 1, maxHistoryBytes: 16 * 1024 * 1024 },
    runAtOnce,
  );
  const client = new QuickClient();
  hub.open(undefined).open(client);
  const event = { event: byteString('delete'), data: byteString('{"id":1}') };
  const events = Array.from({ length: 200 }, () => event);
  const batch = { events: () => events, bytes: 100 };
  hub.publish({ number: 1, batches: Array.from({ length: 1000 }, () => batch) });
  await client.sees('id: run.1\n');
  assert.equal(client.text.match(/^event: delete$/gm)?.length, 200_000);
  assert.equal(client.text.match(/^id: run\.1$/gm)?.length, 1);
});

it('clients that have seen different events are sent the rest one by one', async () => {
  const clients = Array.from({ length: 16 }, () => new QuickClient());
  const texts = () => clients.filter(({ text }) => text.includes('event: changed')).length;
  const steps: number[] = [];
  const hub = new EventHub(
    () => 'run',
    { maxStreams: 16, maxHistoryBytes: HISTORY_BYTES },
    (all) => {
      for (let before = texts(), done = false; !done; before = texts()) {
        done = all.next().done === true;
        steps.push(texts() - before);
      }
    },
  );
  const data = byteString('{}');
  for (let number = 1; number <= 20; number++) {
    hub.publish(commit(number, data));
  }
  for (const [seen, client] of clients.entries()) hub.open(`run.${seen}`).open(client);
  while (texts() < clients.length) await turns(1);
  assert.equal(texts(), clients.length);
  assert.equal(Math.max(...steps), 1, 'in a step');
});

it('a client that has not been sent the last commits before a reset gets just the reset', async () => {
  const limits = { maxStreams: 1, maxHistoryBytes: HISTORY_BYTES };
  const hub = new EventHub(() => 'run', limits, runAtOnce);
  const client = new QuickClient();
  hub.open(undefined).open(client);
  hub.publish(commit(1, byteString('{}')));
  hub.reset(2);
  await client.sees('id: run.2\n');
  assert(!client.isCut);
  assert.deepEqual(client.text.match(/^event: .*$/gm), ['event: ready', 'event: reset']);
});

it('a client is sent what it has missed without its backlog, if the history has it', async () => {
  const limits = { maxStreams: 2, maxHistoryBytes: HISTORY_BYTES };
  const hub = new EventHub(() => 'run', limits, runAtOnce);
  hub.open(undefined).open(new QuickClient());
  for (const number of [1, 2]) hub.publish(commit(number, byteString('{}')));
  const client = new QuickClient();
  let isRead = false;
  const backlog = {
    async *[Symbol.asyncIterator]() {
      isRead = true;
      yield [commit(2, byteString('{}'))];
    },
  };
  hub.open('run.1', backlog).open(client);
  await client.sees('id: run.2\n');
  assert(!isRead);
});
