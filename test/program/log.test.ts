import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { describeError, jsonLog, Output } from '../../src/lib/log.ts';

/** A stream that accepts data only when told to. */
class Stream extends Writable {
  readonly taken: string[] = [];
  #waiting: (() => void) | undefined;
  isRead = true;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.taken.push(String(chunk));
    if (this.isRead) done();
    else this.#waiting = done;
  }

  read(): void {
    this.isRead = true;
    this.#waiting?.();
  }
}

describe('the log', () => {
  it('writes one JSON line per event', () => {
    const stream = new Stream();
    const output = new Output(stream);
    const log = jsonLog(output);
    log('info', 'first', { a: 1 });
    log('error', 'second\n');
    output.flush();
    const [first, second] = stream.taken
      .join('')
      .split('\n', 2)
      .map((line) => JSON.parse(line));
    assert.deepEqual({ ...first, time: '' }, { time: '', level: 'info', message: 'first', a: 1 });
    assert.equal(new Date(first.time).toISOString(), first.time);
    assert.equal(second.message, 'second\n');
    assert.equal(stream.taken.join('').split('\n').length, 3);
  });

  it('writes the lines of a turn of the event loop as one piece, unless they are long', async () => {
    const stream = new Stream();
    const output = new Output(stream);
    for (const text of ['a', 'b', 'x'.repeat(64 * 1024), 'c', 'd']) output.write(text);
    assert.deepEqual(
      stream.taken.map(({ length }) => length),
      [64 * 1024 + 2],
    );
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(stream.taken.slice(1), ['cd']);
  });

  it('drops lines while nobody reads it, and continues when somebody does', () => {
    const stream = new Stream();
    const output = new Output(stream);
    stream.isRead = false;
    const line = `${'x'.repeat(1023)}\n`;
    for (let i = 0; i < 10_000; i++) output.write(line);
    output.flush();
    assert(stream.writableLength < 2 * 1024 * 1024, `${stream.writableLength} bytes are buffered`);
    stream.read();
    output.write('after\n');
    output.flush();
    assert.equal(stream.taken.at(-1), 'after\n');
    assert(stream.taken.join('').length < 2 * 1024 * 1024);
  });

  it('never throws if writing fails, at once or later', () => {
    const throwing = new Writable({
      write() {
        throw new Error('no space left on device');
      },
    });
    const full = new Output(throwing);
    full.write('x');
    full.flush();
    const failing = new Writable({
      write: (_chunk, _encoding, done) => done(new Error('broken pipe')),
    });
    const output = new Output(failing);
    for (const text of ['x', 'y']) {
      output.write(text);
      output.flush();
    }
  });

  it('includes the stack and the causes of an error', () => {
    const cause = new TypeError('inner');
    const fields = describeError(new Error('outer', { cause }));
    assert.equal(fields.error, 'outer');
    assert.match(String(fields.stack), /^Error: outer\n/);
    assert.deepEqual(fields.cause, { error: 'inner', stack: cause.stack });
    assert.deepEqual(describeError('text'), { error: 'text' });
  });
});
