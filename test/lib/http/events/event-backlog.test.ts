import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../../../../src/lib/http/core/problem.ts';
import type { StreamWriter } from '../../../../src/lib/http/core/response.ts';
import type { CommitEvents, EventBacklog } from '../../../../src/lib/http/events/event-history.ts';
import { EventHub } from '../../../../src/lib/http/events/event-hub.ts';
import { byteString } from '../../../../src/lib/json/byte-string.ts';
import { HeldTimers } from '../../../support/clock.ts';

/** A writer whose client reads when the test says so. */
class SlowSink implements StreamWriter {
  isDrained = true;
  written = '';
  state: 'open' | 'ended' | 'cut' = 'open';
  readonly #onDrain: (() => void)[] = [];
  readonly #onClose: (() => void)[] = [];

  write(text: string): void {
    assert.equal(this.state, 'open', 'nothing is written after the end');
    this.written += text;
    this.isDrained = false;
  }

  end(): void {
    this.state = 'ended';
  }

  disconnect(): void {
    this.state = 'cut';
  }

  on(event: 'drain' | 'close' | 'end', callback: () => void): void {
    if (event === 'drain') this.#onDrain.push(callback);
    if (event === 'close') this.#onClose.push(callback);
  }

  /** Reads everything written. */
  drain(): void {
    this.isDrained = true;
    for (const callback of this.#onDrain) callback();
  }

  leave(): void {
    for (const callback of this.#onClose) callback();
  }
}

/** A backlog with pages of one commit each, which arrive when the test says so. */
class SlowArchive implements EventBacklog {
  asked = 0;
  isClosed = false;
  #answer: (page: IteratorResult<readonly CommitEvents[]>) => void = () => {};
  #refuse: (error: Error) => void = () => {};

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<readonly CommitEvents[]>> {
    this.asked++;
    return new Promise((resolve, reject) => {
      this.#answer = resolve;
      this.#refuse = reject;
    });
  }

  async return(): Promise<IteratorResult<readonly CommitEvents[]>> {
    this.isClosed = true;
    return { done: true, value: undefined };
  }

  async answer(number: number): Promise<void> {
    this.#answer({ done: false, value: [commit(number)] });
    await turn();
  }

  async refuse(): Promise<void> {
    this.#refuse(new Problem('overloaded', 'not now'));
    await turn();
  }
}

function commit(number: number): CommitEvents {
  const data = byteString(`{"id":${number}}`);
  return { number, batches: [{ events: () => [{ event: byteString('put'), data }], bytes: 10 }] };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A stream that resumes from a backlog of commits 1 to 10; the hub has those from 11 on. */
function opened(historyOf = () => 'run') {
  const limits = { maxStreams: 5, maxHistoryBytes: 100_000 };
  const hub = new EventHub(historyOf, limits, (work) => {
    while (!work.next().done);
  });
  hub.reset(10);
  const writer = new SlowSink();
  const backlog = new SlowArchive();
  hub.open('run.0', backlog)(writer);
  writer.drain();
  return { hub, writer, backlog };
}

describe('a backlog', () => {
  it('is read no faster than its client reads, and then the stream follows the hub', async (test) => {
    const timers = new HeldTimers(test);
    const { hub, writer, backlog } = opened();
    await backlog.answer(9);
    assert.equal(backlog.asked, 1);
    writer.drain();
    await turn();
    assert.equal(backlog.asked, 2);
    await backlog.answer(10);
    hub.publish(commit(11));
    writer.drain();
    await timers.end();
    assert.equal(backlog.asked, 2);
    assert.deepEqual(writer.written.match(/^id: .*$/gm), ['0', '9', '10', '11'].map(idLine));
    assert.equal(hub.size, 1);
  });

  it('is not sent to a stream that ended meanwhile', async () => {
    const { hub, writer, backlog } = opened();
    hub.end();
    assert.equal(writer.state, 'ended');
    await backlog.answer(9);
    assert.equal(hub.size, 0);
    assert.equal(backlog.asked, 1);
  });

  it('is followed by nothing once the service has stopped', async (test) => {
    const timers = new HeldTimers(test);
    const { hub, writer, backlog } = opened();
    await backlog.answer(10);
    writer.drain();
    // Lets the round end that this has begun.
    await timers.end();
    hub.end();
    const { written } = writer;
    hub.publish(commit(11));
    await timers.end();
    assert.equal(writer.written, written);
  });

  it('is not read further once the client has disconnected', async () => {
    for (const isReading of [true, false]) {
      const { hub, writer, backlog } = opened();
      if (!isReading) await backlog.answer(8);
      writer.leave();
      assert.equal(hub.size, 0);
      if (isReading) await backlog.answer(8);
      await turn();
      assert.equal(backlog.asked, 1);
      assert(backlog.isClosed);
      assert.equal(hub.size, 0);
    }
  });

  it('ends with its connection at a reset, and if it cannot be read', async () => {
    const { hub, writer, backlog } = opened();
    hub.reset(20);
    assert.equal(writer.state, 'cut');
    await backlog.answer(9);
    assert.equal(hub.size, 0);
    const other = opened();
    await other.backlog.refuse();
    assert.equal(other.writer.state, 'cut');
    assert.equal(other.hub.size, 0);
  });

  it('is not sent if the list was replaced by another one meanwhile', async () => {
    let history = 'run';
    const { hub } = opened(() => history);
    const writer = new SlowSink();
    history = 'another';
    hub.reset(5);
    const backlog = new SlowArchive();
    hub.open('run.0', backlog)(writer);
    await turn();
    assert.equal(backlog.asked, 0);
    assert.match(writer.written, /event: ready\n.*\n\nevent: reset\n/);
  });
});

function idLine(number: string): string {
  return `id: run.${number}`;
}
