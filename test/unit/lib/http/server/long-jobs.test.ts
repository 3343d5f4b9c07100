import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { clock } from '../../../../../src/lib/clock.ts';
import type { ContentParts } from '../../../../../src/lib/http/messages/response.ts';
import { LongJobs, type ResultClient } from '../../../../../src/lib/http/server/long-jobs.ts';
import { Pool } from '../../../../../src/lib/http/server/pool.ts';
import { Scheduler } from '../../../../../src/lib/http/server/scheduler.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { turns } from '../../../../support/raw.ts';
import { within } from '../../../../support/within.ts';

/** The memory of a heavy job, in bytes. */
const HEAVY = 50;

/** A request for a result of 100 bytes. */
class AskingClient implements ResultClient {
  readonly #results: Pool;
  taken = 0;
  abandon: (reason?: never) => void = () => {};

  constructor(results: Pool) {
    this.#results = results;
  }

  throwIfCancelled(): void {}

  takeResult(workingBytes: number): boolean {
    const isTaken = this.#results.take(100 + workingBytes);
    if (isTaken) this.taken = 100 + workingBytes;
    return isTaken;
  }

  endJob(bytes: number): void {
    const excess = this.taken - Math.min(bytes, this.taken);
    this.taken -= excess;
    if (excess > 0) this.#results.giveBack(excess);
  }

  takeWait(): boolean {
    return true;
  }

  endWait(): void {}

  onAbandon(abandon: (reason?: never) => void): void {
    this.abandon = abandon;
  }
}

/** Jobs that end when the test says so, or has ended; `made` has their names in order. */
function jobs(test: TestContext, maxBytes = Number.POSITIVE_INFINITY, maxWaiting = 1_000) {
  let isOver = false;
  test.after(() => {
    isOver = true;
  });
  const results = new Pool(maxBytes);
  const long = new LongJobs(new Scheduler(), results, maxWaiting);
  const made: string[] = [];
  const ended = new Set<string>();
  const begin = (name: string, isHeavy = false, isShort = false) => {
    const client = new AskingClient(results);
    const make = (): ContentParts => {
      made.push(name);
      const job = {
        part: byteString('x'),
        isLast: false,
        isShort: false,
        next: () => {
          job.isLast = isOver || isShort || ended.has(name);
          job.isShort = isShort;
          return job.isLast
            ? ({ done: true, value: undefined } as const)
            : ({ done: false, value: undefined } as const);
        },
      };
      return job;
    };
    const result = long.run(make, client, isHeavy ? HEAVY : 0);
    result.catch(() => {});
    return { client, result };
  };
  return { long, results, made, ended, begin };
}

const names = (count: number, prefix = '') => Array.from({ length: count }, (_, i) => prefix + i);

it('four heavy jobs compute at a time, and the others wait in order without having been made', async (test) => {
  const { made, ended, begin } = jobs(test);
  const begun = names(7).map((name) => begin(name, true));
  await turns(5);
  assert.deepEqual(made, names(4));
  ended.add('2');
  await within('the third', begun[2]?.result ?? assert.fail());
  assert.deepEqual(made, names(5));
  for (const name of names(7)) ended.add(name);
  await within('all', Promise.all(begun.map(({ result }) => result)));
  assert.deepEqual(made, names(7));
});

it('heavy jobs do not hold up others, and a short result waits for no place', async (test) => {
  const { made, ended, begin } = jobs(test);
  for (const name of names(6, 'heavy ')) begin(name, true);
  ended.add('light');
  await within('a light one', begin('light').result);
  for (const name of names(20, 'endless ')) begin(name);
  await turns(3);
  await within('a short one', begin('short', false, true).result);
  assert(made.includes('short'));
});

it('a job begins if all others have ended while it was tried as a short one', async (test) => {
  const { ended, begin } = jobs(test);
  const others = names(16).map((name) => begin(name));
  const last = begin('last');
  for (const name of names(16)) ended.add(name);
  await within('the others', Promise.all(others.map(({ result }) => result)));
  await turns(20);
  ended.add('last');
  await within('the last', last.result);
});

it('a job begins when there is memory for its result', async (test) => {
  const { long, made, ended, begin, results } = jobs(test, 300);
  for (const name of names(3)) ended.add(name);
  const [first, second] = [begin('0'), begin('1')];
  await within('two', Promise.all([first.result, second.result]));
  results.used = 200;
  const third = begin('2', true);
  await turns(5);
  assert.deepEqual(made, ['0', '1']);
  assert(long.lackingBytes >= HEAVY);
  results.giveBack(50);
  await within('the third', third.result);
});

it('a job that waits for 20 s, or behind too many others, is refused', async (test) => {
  let now = 0;
  test.mock.method(clock, 'now', () => {
    now += 0.01;
    return now;
  });
  const { long, begin, made } = jobs(test, undefined, 2);
  for (const name of names(4)) begin(name, true);
  const waiting = [begin('4', true), begin('5', true)];
  const last = within('the refusal of the last', begin('6', true).result);
  await assert.rejects(last, { status: 503, refusal: 'results' });
  long.check(19_990);
  await turns(3);
  assert.equal(made.length, 4);
  long.check(now + 20_000);
  for (const { result } of waiting) {
    await assert.rejects(within('the refusal', result), { status: 503, refusal: 'results' });
  }
  assert.equal(made.length, 4);
});

it('a job whose client goes while it waits leaves its place to the next one', async (test) => {
  const { begin, made, ended } = jobs(test);
  for (const name of names(4)) begin(name, true);
  const gone = begin('gone', true);
  const next = begin('next', true);
  gone.client.abandon();
  await assert.rejects(within('its end', gone.result), { name: 'ClientGoneError' });
  for (const name of [...names(4), 'next']) ended.add(name);
  await within('the next one', next.result);
  assert.deepEqual(made, [...names(4), 'next']);
});
