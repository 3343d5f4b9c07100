import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  exactJsonText,
  isJsonObject,
  MAX_JSON_DEPTH,
  MalformedJsonError,
  parseJson,
  parseJsonBytes,
} from '../../../../src/lib/json/json-object.ts';

const parseJsonObject = (bytes: Buffer) => parseJsonBytes(bytes, isJsonObject);

describe('an object in JSON', () => {
  it('is not a number, also if that has many digits', () => {
    assert.throws(() => parseJsonObject(Buffer.from('12345678901234567890')), /is a number/);
    assert.throws(() => parseJsonObject(Buffer.from('"7"')), /is a string/);
  });

  it('limits the depth, which brackets in strings do not add to', () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    parseJsonObject(Buffer.from(nested(MAX_JSON_DEPTH)));
    refuses(nested(MAX_JSON_DEPTH + 1));
    refuses(nested(MAX_JSON_DEPTH + 1).replace('1}', '1.0}'));
    refuses(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`);
    parseJsonObject(Buffer.from(`{"a":"${'['.repeat(100)}","b":[${'[],'.repeat(100)}[]]}`));
  });

  it('is empty if it is JSON white space alone', () => {
    assert.throws(() => parseJsonObject(Buffer.from(' \r\n\t')), /is empty$/);
    assert.throws(() => parseJsonObject(Buffer.from('\u00a0')), /is not JSON/);
  });

  it('rejects bytes that are not UTF-8, but not the replacement character', () => {
    assert.deepEqual(parseJsonObject(Buffer.from('{"a":"\ufffd"}')), { a: '\ufffd' });
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
      refuses(Buffer.from([...Buffer.from('{"a":"'), ...bytes, ...Buffer.from('"}')]));
    }
  });
});

describe('the JSON text of a value', () => {
  const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

  it('has all digits, without members that are undefined', () => {
    const value = { a: 2n ** 64n, b: undefined, c: [null, 'x', { toJSON: () => 1 }] };
    assert.equal(exactJsonText(value), '{"a":18446744073709551616,"c":[null,"x",1]}');
    assert.equal(exactJsonText({ toJSON: () => [] }, 2), '[]');
    assert.equal(exactJsonText([parseJson('2.9999999999999999')], 1), '[3]');
  });

  it('is none of a value that is nested too deep, or not JSON', () => {
    assert.equal(exactJsonText(nested(MAX_JSON_DEPTH)), JSON.stringify(nested(MAX_JSON_DEPTH)));
    for (const bad of [
      ...[nested(MAX_JSON_DEPTH + 1), { a: nested(MAX_JSON_DEPTH) }, Number.NaN, () => 1],
      ...['\ud800', { '\ud800': 1 }, [undefined], new Map()],
    ]) {
      assert.equal(exactJsonText(bad), undefined);
    }
  });
});

function refuses(bytes: string | Buffer): void {
  assert.throws(() => parseJsonObject(Buffer.from(bytes)), MalformedJsonError);
}
