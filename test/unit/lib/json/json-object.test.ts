import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isJsonObject,
  MAX_JSON_DEPTH,
  MalformedJsonError,
  parseJsonBytes,
} from '../../../../src/lib/json/json-object.ts';

const parseJsonObject = (bytes: Buffer) => parseJsonBytes(bytes, isJsonObject);

describe('an object in JSON', () => {
  it('parses an object, with the last of repeated members', () => {
    const value = parseJsonObject(Buffer.from(' {"a":1,"b":[{}],"a":2} '));
    assert.deepEqual(value, { a: 2, b: [{}] });
  });

  it('drops one leading byte order mark, but not a second', () => {
    assert.deepEqual(parseJsonObject(Buffer.from('\ufeff{}')), {});
    refuses('\ufeff\ufeff{}');
  });

  it('treats __proto__ as a member like any other', () => {
    const value = parseJsonObject(Buffer.from('{"__proto__":{"a":1}}'));
    assert.equal(value.a, undefined);
    assert(Object.hasOwn(value, '__proto__'));
  });

  it('keeps the digits of numbers', () => {
    const value = parseJsonObject(Buffer.from('{"a":12345678901234567890,"b":3.0}'));
    assert.deepEqual(value, { a: 12345678901234567890n, b: 3 });
    assert.throws(() => parseJsonObject(Buffer.from('12345678901234567890')), /is a number/);
  });

  it('limits the depth, which brackets in strings do not add to', () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    parseJsonObject(Buffer.from(nested(MAX_JSON_DEPTH)));
    refuses(nested(MAX_JSON_DEPTH + 1));
    refuses(nested(MAX_JSON_DEPTH + 1).replace('1}', '1.0}'));
    refuses(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`);
    parseJsonObject(Buffer.from(`{"a":"${'['.repeat(100)}","b":[${'[],'.repeat(100)}[]]}`));
  });

  for (const text of [
    '',
    ' \n',
    'null',
    '1',
    '"a"',
    '[]',
    '{',
    '{"a":01}',
    '{a:1}',
    '{} {}',
    "{'a':1}",
  ]) {
    it(`${JSON.stringify(text)}: malformed`, () => refuses(text));
  }

  it('reports JSON white space alone as empty', () => {
    const messageFor = (text: string) => {
      try {
        return parseJsonObject(Buffer.from(text));
      } catch (error) {
        return String(error);
      }
    };
    assert.equal(messageFor(' \r\n\t'), 'MalformedJsonError: is empty');
    assert.match(String(messageFor('\u00a0')), /is not JSON/);
  });

  it('rejects bytes that are not UTF-8', () => {
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
      refuses(Buffer.from([...Buffer.from('{"a":"'), ...bytes, ...Buffer.from('"}')]));
    }
  });
});

function refuses(bytes: string | Buffer): void {
  assert.throws(() => parseJsonObject(Buffer.from(bytes)), MalformedJsonError);
}
