import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { Problem } from '../../../../../src/lib/http/core/problem.ts';
import { checkFraming } from '../../../../../src/lib/http/request/header-section.ts';

type FieldList = readonly (readonly [name: string, value: string])[];

const HOST = ['Host', 'h'] as const;

const MAX_BYTES = 8 * 1024;

/** What the header section of a request is refused with; undefined if it is fine. */
function refusal(fields: FieldList, httpVersion = '1.1'): string | undefined {
  const request = new IncomingMessage(new Socket());
  request.httpVersion = httpVersion;
  request.rawHeaders = fields.flat();
  for (const [name, value] of fields) request.headers[name.toLowerCase()] = value;
  try {
    checkFraming(request, MAX_BYTES);
  } catch (error) {
    assert(error instanceof Problem && error.close, 'the connection closes');
    assert.notEqual(error.message, '', 'it is said why');
    return error.code;
  }
  return undefined;
}

describe('the framing of a request', () => {
  it('has one Host, or none in HTTP/1.0', () => {
    for (const host of ['h', '', 'h:80', 'h:', 'a-b.c_d~', '%41', '[::1]', '[::1]:80']) {
      assert.equal(refusal([['hOST', host]]), undefined, host);
    }
    for (const host of ['a/b', 'a b', 'u@h', 'h:x', '[::1', '[]', '[1:2]', '%zz', '::1']) {
      assert.equal(refusal([['Host', host]]), 'malformed-request', host);
    }
    assert.equal(refusal([]), 'malformed-request');
    assert.equal(refusal([], '1.0'), undefined);
    assert.equal(refusal([HOST, ['X', 'a'], ['host', 'h']]), 'malformed-request');
    assert.equal(refusal([HOST, ['Most', 'i'], ['Most', 'j']]), undefined);
  });

  it('has no more than one Content-Type', () => {
    const [type, other] = ['application/json', 'text/plain'];
    assert.equal(refusal([HOST, ['Content-Type', type]]), undefined);
    assert.equal(
      refusal([HOST, ['Content-Type', type], ['content-typE', other]]),
      'malformed-request',
    );
    assert.equal(refusal([HOST, ['Content-Tipe', type], ['Content-Tipe', other]]), undefined);
  });

  it('has 100 fields, and no more', () => {
    const fields = Array<readonly [string, string]>(99).fill(['a', 'b']);
    assert.equal(refusal([HOST, ...fields]), undefined);
    assert.equal(refusal([HOST, ...fields, ['a', 'b']]), 'header-fields-too-large');
  });

  it('has fields up to a limit, each with its colon, space and line end, and no more', () => {
    const value = 'x'.repeat(MAX_BYTES - 'Host: h\r\nX: \r\n'.length);
    assert.equal(refusal([HOST, ['X', value]]), undefined);
    assert.equal(refusal([HOST, ['X', `${value}x`]]), 'header-fields-too-large');
  });

  it('has a transfer coding that is chunked, in HTTP/1.1', () => {
    const coded = (coding: string) => refusal([HOST, ['Transfer-Encoding', coding]]);
    for (const coding of ['chunked', 'Chunked']) assert.equal(coded(coding), undefined);
    for (const coding of ['gzip, chunked', 'gzip,chunked', 'GZIP,\tCHUNKED']) {
      assert.equal(coded(coding), 'not-implemented', coding);
    }
    for (const coding of ['', 'gzip', 'chunked, gzip', 'xchunked', 'gzip, xchunked']) {
      assert.equal(coded(coding), 'malformed-request', coding);
    }
    assert.equal(refusal([['Transfer-Encoding', 'chunked']], '1.0'), 'malformed-request');
  });

  it('is of HTTP/1.1 or HTTP/1.0', () => {
    assert.equal(refusal([HOST], '1.0'), undefined);
    assert.equal(refusal([HOST], '0.9'), 'malformed-request');
    for (const version of ['1.2', '2.0']) {
      assert.equal(refusal([HOST], version), 'http-version-not-supported');
    }
  });
});
