import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { describeError, jsonLog, type Log, Output } from '../../../src/lib/log.ts';
import { Stream } from '../../support/stream.ts';

/** The lines that are logged. */
function linesOf(write: (log: Log) => void): string[] {
  const stream = new Stream();
  const output = new Output(stream);
  write(jsonLog(output));
  output.flush();
  return stream.taken.join('').split('\n').slice(0, -1);
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

  it('drops lines while its stream is not read, and continues when it is', () => {
    const stream = new Stream();
    const output = new Output(stream);
    stream.isRead = false;
    const line = `${'x'.repeat(1023)}\n`;
    for (let i = 0; i < 10_000; i++) output.write(line);
    output.flush();
    const { writableLength } = stream;
    assert(
      writableLength > 2 ** 20 && writableLength < 2 ** 21,
      `${writableLength} bytes are kept`,
    );
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

  it('escapes control characters, of C1 and line ends of some programs too', () => {
    const text = 'http://a.example\u009b31m\u0085\u2028"\u007f';
    const [line = ''] = linesOf((log) => log('warn', 'x', { origin: text }));
    assert.match(line, /a\.example\\u009b31m\\u0085\\u2028\\"\\u007f/);
    assert.equal(JSON.parse(line).origin, text);
  });

  it('writes texts as they are', () => {
    const target = 'http://u:password@h/api?next=http%3A%2F%2Fu%3Apassword%40h&title=x@y';
    const [line = ''] = linesOf((log) => log('info', 'x', { target, list: [{ target }] }));
    const { target: logged, list } = JSON.parse(line);
    assert.deepEqual({ logged, list }, { logged: target, list: [{ target }] });
  });

  it('truncates an entry of more than 16,000 bytes to one JSON object', () => {
    for (const fields of [
      { target: '"'.repeat(8_192), status: 200 },
      { error: 'é'.repeat(100_000), stack: '\u0001'.repeat(50_000), status: 200 },
      { members: '\u{1f600}'.repeat(20_000), status: 200 },
      { ...Object.fromEntries(Array.from({ length: 90 }, (_, i) => [i, '"'.repeat(999)])) },
      // Cutting texts does not shorten it.
      { numbers: Array.from({ length: 20_000 }, (_, i) => i) },
    ]) {
      const [line = ''] = linesOf((log) => log('error', 'long', fields));
      assert(Buffer.byteLength(line) < 16_000, `${Buffer.byteLength(line)} bytes`);
      const { truncated, message, status, target = '"', error = 'é' } = JSON.parse(line);
      assert.deepEqual([truncated, message], [true, 'long']);
      if ('status' in fields) assert.equal(status, 200);
      assert.match(target + error, /^"+é+$/);
    }
    const [whole = ''] = linesOf((log) => log('info', 'x', { target: 'a'.repeat(15_900) }));
    assert.equal(JSON.parse(whole).truncated, undefined);
  });

  it('writes one line for any thrown value', () => {
    const circle = new Error('round');
    circle.cause = circle;
    for (const error of [circle, Object.create(null), { id: 1n }, undefined, Symbol('x'), 1n]) {
      assert.equal(linesOf((log) => log('error', 'x', describeError(error))).length, 1);
    }
    assert.match(linesOf((log) => log('info', 'x', { id: 9007199254740993n }))[0] ?? '', /993"/);
  });

  it('does not block on a terminal, and leaves other outputs as they are', () => {
    for (const [isTTY, expected] of [
      [true, [false]],
      [undefined, []],
    ] as const) {
      const set: boolean[] = [];
      const handle = { setBlocking: (isBlocking: boolean) => set.push(isBlocking) };
      new Output(Object.assign(new Stream(), { isTTY, _handle: handle }));
      assert.deepEqual(set, expected);
    }
  });

  it('includes five causes of an error at most', () => {
    const causes = Array.from({ length: 9 }).reduceRight<Error | undefined>(
      (cause, _, i) => new Error(`error ${i}`, cause && { cause }),
      undefined,
    );
    const [line = ''] = linesOf((log) => log('error', 'x', describeError(causes)));
    assert.match(line, /"error":"error 5"/);
    assert.doesNotMatch(line, /"error":"error 6"/);
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
