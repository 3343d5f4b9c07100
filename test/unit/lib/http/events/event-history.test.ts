import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type CommitEvents,
  EventHistory,
} from '../../../../../src/lib/http/events/event-history.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';

const LIMIT = 20_000;

const CHANGED = byteString('changed');

/** A commit of one batch or two, each of two events. */
function commit(number: number, length = 100): CommitEvents {
  const event = (text: string) => ({ event: CHANGED, data: byteString(text) });
  const batch = (part: string) => ({
    events: () => [event('.'.repeat(length)), event(`${number}${part};`)],
    bytes: length,
  });
  return { number, batches: number % 3 > 0 ? [batch('')] : [batch('a'), batch('b')] };
}

function filled(numbers: readonly number[]): EventHistory {
  const history = new EventHistory(() => 'run', LIMIT);
  for (const number of numbers) history.append(commit(number));
  return history;
}

/** The ids of all events from a position on, read the way streams read them. */
function idsFrom(history: EventHistory, from: number): number[] {
  let text = '';
  for (let position = from; position < history.end; ) {
    const read = history.read(position);
    assert(read.position > position, 'a read advances');
    text += read.text;
    position = read.position;
  }
  return Array.from(text.matchAll(/^id: run\.(\d+)$/gm), ([, id]) => Number(id));
}

it('data has no character at which a client may end a line', () => {
  const history = new EventHistory(() => 'run', LIMIT);
  const value = { title: 'é a\u0085\u2028b\u2029\u2027 \u00a8 \u{1f600}\u0084' };
  const data = byteString(JSON.stringify(value));
  history.append({ number: 1, batches: [{ events: () => [{ event: CHANGED, data }], bytes: 1 }] });
  const text = Buffer.from(history.read(0).text, 'latin1').toString();
  assert.doesNotMatch(text, /[\u0085\u2028\u2029]/);
  assert(text.includes('é a\\u0085\\u2028b\\u2029\u2027'), text);
  const [, line = ''] = /^data: (.*)$/m.exec(text) ?? [];
  assert.deepEqual(JSON.parse(line), value);
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

describe('a history of events', () => {
  it('returns everything after any number it still has, once and in order', () => {
    const history = filled(range(1, 500));
    assert(history.keptAfter > 400 && history.keptAfter < 490, `${history.keptAfter}`);
    for (const number of range(history.keptAfter, 500)) {
      assert(history.canResumeAfter(number));
      const position = history.positionAfter(number);
      assert.deepEqual(idsFrom(history, position), range(number + 1, 500));
    }
    assert(!history.canResumeAfter(history.keptAfter - 1), 'dropped commits');
    assert(!history.canResumeAfter(501), 'future commits');
  });

  it('knows an id as it gives it, and no other spelling', () => {
    const history = filled([8]);
    assert.equal(history.numberOf('run.8'), 8);
    for (const id of [
      '',
      'run',
      'run.',
      'run.08',
      'run.8.0',
      'run.8e0',
      'run. 8',
      'run.-8',
      'x.8',
    ]) {
      assert.equal(history.numberOf(id), undefined, id);
    }
  });

  it('never exceeds its limit', () => {
    const history = new EventHistory(() => 'run', LIMIT);
    for (const number of range(1, 300)) {
      history.append(commit(number, 20 + 2 * ((number * 37) % 450)));
      assert(history.bytes <= LIMIT, `${history.bytes} after ${number}`);
      const ids = idsFrom(history, history.positionAfter(history.keptAfter));
      assert.equal(ids.at(-1) ?? number, number);
    }
  });

  it('makes the events of a commit when they are read, and keeps no text of them', () => {
    const history = new EventHistory(() => 'run', LIMIT);
    let made = 0;
    const events = () => {
      made++;
      return [{ event: CHANGED, data: byteString('x'.repeat(1_000)) }];
    };
    history.append({ number: 1, batches: [{ events, bytes: 10 }] });
    const { bytes } = history;
    assert.equal(made, 0);
    assert.deepEqual(idsFrom(history, 0), [1]);
    assert.equal(made, 1);
    assert.equal(history.bytes, bytes);
  });

  it('drops a commit that alone exceeds the limit, and everything before it', () => {
    const history = filled([1, 2]);
    history.append(commit(3, LIMIT + 2));
    assert.deepEqual([history.keptAfter, history.lastCommit, history.bytes], [3, 3, 0]);
    history.append(commit(4));
    assert.deepEqual(idsFrom(history, history.positionAfter(3)), [4]);
  });

  it('can be restarted', () => {
    const history = filled(range(1, 12));
    history.restart(12);
    assert.deepEqual([history.keptAfter, history.lastCommit, history.bytes], [12, 12, 0]);
    assert(!history.canResumeAfter(11));
    assert.deepEqual(idsFrom(history, history.positionAfter(12)), []);
  });

  it('has nothing after a commit that it never had, as one that a restore has lost', () => {
    const history = filled(range(1, 12));
    history.restart(7);
    history.append(commit(8));
    history.append(commit(1_008));
    assert.deepEqual(
      [7, 8, 12, 1_008].filter((number) => history.canResumeAfter(number)),
      [7, 8, 1_008],
    );
  });

  it('is read some 64 KiB at a time', () => {
    const history = new EventHistory(() => 'run', 1024 * 1024);
    for (const number of range(1, 4)) history.append(commit(number * 3 - 1, 30_000));
    const { text, position } = history.read(0);
    assert(text.length > 64 * 1024 && text.length < 100 * 1024, `${text.length}`);
    assert.equal(position, 3);
    assert.equal(history.read(position).position, 4);
  });
});
