import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../../src/clock.ts';
import { CoalescedTask } from '../../../src/http/events/coalesced-task.ts';

/** A task, the timers that it sets, and a time that stands still unless it is moved. */
class Stage {
  now = 1_000;
  rounds = 0;
  /** What happens during a round. */
  during = () => {};
  readonly task = new CoalescedTask(async () => {
    this.rounds++;
    this.during();
  });
  #timer: { readonly callback: () => void; readonly ms: number } | undefined;

  constructor(test: TestContext) {
    const { setTimeout } = clock;
    test.mock.method(clock, 'now', () => this.now);
    test.mock.method(clock, 'setTimeout', (callback: () => void, ms: number) => {
      this.#timer = { callback, ms };
      return setTimeout(() => {}, 0);
    });
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
    await Promise.resolve();
    await Promise.resolve();
  }
}

describe('a coalesced task', () => {
  it('runs at once when it is first asked for, and then no sooner than after a pause', async (test) => {
    const stage = new Stage(test);
    stage.task.request(false);
    assert.equal(stage.nextIn, 0);
    await stage.round();
    assert.equal(stage.nextIn, undefined, 'nobody has asked again');
    stage.now += 10;
    stage.task.request(false);
    assert.equal(stage.nextIn, 30);
    stage.task.request(true);
    assert.equal(stage.nextIn, 0, 'unless it is urgent');
    await stage.round();
    assert.equal(stage.rounds, 2);
  });

  it('runs again if it is asked for during a round: at once if it is urgent, or later', async (test) => {
    const stage = new Stage(test);
    stage.during = () => {
      stage.task.request(false);
      stage.task.request(true);
      stage.task.request(false);
      assert.equal(stage.nextIn, undefined, 'not while it runs');
    };
    stage.task.request(true);
    await stage.round();
    assert.equal(stage.nextIn, 0);
    stage.during = () => {
      stage.task.request(false);
      stage.now += 100;
    };
    await stage.round();
    assert.equal(stage.nextIn, 40, 'after the end of the round');
  });
});
