import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventHistory } from '../../../src/http/response/event-history.ts';
import { byteString } from '../../../src/json/byte-string.ts';

const LIMIT = 4_000;

function entry(number: number, length = 100) {
  return { number, text: byteString(`${number};`.padStart(length, '.')) };
}

function filled(numbers: readonly number[], beginning = 0): EventHistory {
  const history = new EventHistory(beginning, LIMIT);
  for (const number of numbers) history.append(entry(number));
  return history;
}

/** The numbers of all entries after one, read the way streams read them. */
function readAfter(history: EventHistory, number: number): number[] {
  let text = '';
  for (let at = number; at < history.last; ) {
    const next = history.after(at);
    assert(next.number > at, 'a read advances');
    text += next.text;
    at = next.number;
  }
  return [...text.matchAll(/(\d+);/g)].map(([, digits]) => Number(digits));
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
    assert(!history.hasAfter(history.beginning - 1), 'dropped entries');
    assert(!history.hasAfter(501), 'future entries');
  });

  it('never exceeds its limit', () => {
    const history = new EventHistory(0, LIMIT);
    for (const number of range(1, 300)) {
      history.append(entry(number, 20 + ((number * 37) % 900)));
      assert(history.bytes <= LIMIT, `${history.bytes} after ${number}`);
      assert.deepEqual(readAfter(history, history.beginning).at(-1) ?? number, number);
    }
  });

  it('drops an entry larger than the limit, and reports that', () => {
    const history = filled([1, 2]);
    history.append(entry(3, LIMIT + 1));
    assert.deepEqual([history.beginning, history.last, history.bytes], [3, 3, 0]);
    history.append(entry(4));
    assert.deepEqual(readAfter(history, 3), [4]);
  });

  it('drops entries on demand', () => {
    const history = filled(range(1, 12));
    history.forgetThrough(7);
    assert(!history.hasAfter(6));
    assert.deepEqual(readAfter(history, 7), range(8, 12));
    history.forgetThrough(12);
    assert.deepEqual([history.beginning, history.last], [12, 12]);
    assert.deepEqual(readAfter(history, 12), []);
  });
});
