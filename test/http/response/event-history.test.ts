import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventHistory } from '../../../src/http/response/event-history.ts';
import type { CommitEvents } from '../../../src/http/response/history-block.ts';
import { byteString } from '../../../src/json/byte-string.ts';

const LIMIT = 4_000;

const CHANGED = byteString('changed');

/** A commit of one event or two. */
function commit(number: number, length = 100): CommitEvents {
  const data = (text: string) => ({ event: CHANGED, data: byteString(text) });
  if (number % 3 > 0) return { number, events: [data(`${number};`.padStart(length, '.'))] };
  const half = Math.floor(length / 2);
  return { number, events: [data('.'.repeat(half)), data(`${number};`.padStart(half, '.'))] };
}

function filled(numbers: readonly number[], beginning = 0): EventHistory {
  const history = new EventHistory(beginning, LIMIT);
  for (const number of numbers) history.append(commit(number));
  return history;
}

/** The numbers of all commits after one, read the way streams read them. */
function readAfter(history: EventHistory, number: number): number[] {
  const numbers: number[] = [];
  for (let at = number; at < history.last; ) {
    const commits = history.after(at);
    const last = commits.at(-1)?.number ?? at;
    assert(last > at, 'a read advances');
    at = last;
    for (const each of commits) {
      const wanted = commit(
        each.number,
        each.events.reduce((sum, { data }) => sum + data.length, 0),
      );
      assert.deepEqual(each, wanted);
      numbers.push(each.number);
    }
  }
  return numbers;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

describe('a history of events', () => {
  it('returns everything after any number it still has, once and in order', () => {
    const history = filled(range(1, 500));
    assert(history.beginning > 400 && history.beginning < 490, `${history.beginning}`);
    for (const number of range(history.beginning, 500)) {
      assert(history.hasAfter(number));
      assert.deepEqual(readAfter(history, number), range(number + 1, 500));
    }
    assert(!history.hasAfter(history.beginning - 1), 'dropped commits');
    assert(!history.hasAfter(501), 'future commits');
  });

  it('never exceeds its limit', () => {
    const history = new EventHistory(0, LIMIT);
    for (const number of range(1, 300)) {
      history.append(commit(number, 20 + 2 * ((number * 37) % 450)));
      assert(history.bytes <= LIMIT, `${history.bytes} after ${number}`);
      assert.deepEqual(readAfter(history, history.beginning).at(-1) ?? number, number);
    }
  });

  for (const length of [0, 10, 100]) {
    it(`knows how much of the limit commits of ${length} bytes use up`, () => {
      const history = new EventHistory(0, 100_000);
      const data = byteString('x'.repeat(length));
      let used = 0;
      for (let number = 1; history.beginning === 0; number++) {
        used += history.append({ number, events: [{ event: CHANGED, data }] });
      }
      assert(used > 90_000 && used < 115_000, `${used}`);
    });
  }

  it('drops a commit larger than the limit, and reports that', () => {
    const history = filled([1, 2]);
    history.append(commit(3, LIMIT + 2));
    assert.deepEqual([history.beginning, history.last, history.bytes], [3, 3, 0]);
    history.append(commit(4));
    assert.deepEqual(readAfter(history, 3), [4]);
  });

  it('drops commits on demand', () => {
    const history = filled(range(1, 12));
    history.forgetThrough(7);
    assert(!history.hasAfter(6));
    assert.deepEqual(readAfter(history, 7), range(8, 12));
    history.forgetThrough(12);
    assert.deepEqual([history.beginning, history.last], [12, 12]);
    assert.deepEqual(readAfter(history, 12), []);
  });
});
