import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../../../src/lib/clock.ts';
import { EventHub } from '../../../../src/lib/http/events/event-hub.ts';
import { byteString } from '../../../../src/lib/json/byte-string.ts';
import { turns } from '../../../support/raw.ts';

const LIMITS = { maxStreams: 1, maxHistoryBytes: 100_000 };

/** A hub with a stream, the timers that it sets, and a time that stands still unless moved. */
class Stage {
  now = 1_000;
  rounds = 0;
  /** What happens during a round. */
  during = () => {};
  #last = 0;
  #timer: { readonly callback: () => void; readonly ms: number } | undefined;
  readonly #hub = new EventHub(
    () => 'run',
    LIMITS,
    (steps) => {
      this.rounds++;
      this.during();
      while (!steps.next().done);
    },
  );

  constructor(test: TestContext) {
    const { setTimeout } = clock;
    test.mock.method(clock, 'now', () => this.now);
    test.mock.method(clock, 'setTimeout', (callback: () => void, ms: number) => {
      this.#timer = { callback, ms };
      return setTimeout(() => {}, 0);
    });
    const reader = { isDrained: true, write() {}, end() {}, disconnect() {}, on() {} };
    this.#hub.open(undefined)(reader);
  }

  /** Publishes an event, for which a round is urgent or not. */
  request(isUrgent: boolean): void {
    const event = { event: byteString('put'), data: byteString('{}') };
    const bytes = isUrgent ? LIMITS.maxHistoryBytes / 3 : 10;
    this.#hub.publish({ number: ++this.#last, batches: [{ events: () => [event], bytes }] });
  }

  end(): void {
    this.#hub.end();
  }

  /** In how many milliseconds the next round begins; undefined if there is none. */
  get nextIn(): number | undefined {
    return this.#timer?.ms;
  }

  /** Runs the round that has been asked for. */
  async round(): Promise<void> {
    const { callback = () => {} } = this.#timer ?? {};
    this.#timer = undefined;
    callback();
    await turns(1);
  }
}

describe('a round of events', () => {
  it('runs at once when it is first asked for, and then no sooner than after a pause', async (test) => {
    const stage = new Stage(test);
    stage.request(false);
    assert.equal(stage.nextIn, 0);
    await stage.round();
    assert.equal(stage.nextIn, undefined, 'nobody has asked again');
    stage.now += 10;
    stage.request(false);
    assert.equal(stage.nextIn, 30);
    stage.request(true);
    assert.equal(stage.nextIn, 0, 'unless it is urgent');
    await stage.round();
    assert.equal(stage.rounds, 2);
  });

  it('runs again if it is asked for during a round: at once if it is urgent, or later', async (test) => {
    const stage = new Stage(test);
    stage.during = () => {
      stage.request(false);
      stage.request(true);
      stage.request(false);
      assert.equal(stage.nextIn, undefined, 'not while it runs');
    };
    stage.request(true);
    await stage.round();
    assert.equal(stage.nextIn, 0);
    stage.during = () => {
      stage.request(false);
      stage.now += 100;
    };
    await stage.round();
    assert.equal(stage.nextIn, 40, 'after the end of the round');
    stage.end();
  });
});
