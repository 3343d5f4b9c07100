import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import {
  checkContentLength,
  checkContentType,
} from '../../../../../src/lib/http/request/header-section.ts';

const PATCH_TYPES = ['application/merge-patch+json', 'application/json'];

function check(method: string, headers: Readonly<Record<string, string>>, accepts: string[]): void {
  const request = new IncomingMessage(new Socket());
  request.method = method;
  Object.assign(request.headers, headers);
  checkContentType(request, accepts);
}

describe('the type of content', () => {
  it('is one that the route takes, without a coding', () => {
    check('PATCH', { 'content-type': 'application/json' }, PATCH_TYPES);
    const json = { 'content-type': 'application/json;charset=UTF-8' };
    check('PATCH', { ...json, 'content-encoding': ' Identity ' }, PATCH_TYPES);
    check('POST', { 'content-type': 'application/x+json' }, ['application/*+json']);
  });

  it('is told otherwise, for the method, without what stands for many types', () => {
    const refuses = (method: string, accepts: string[], allowed: string, headers: object) =>
      assert.throws(() => check(method, { 'content-type': 'text/plain' }, accepts), {
        code: 'unsupported-media-type',
        message: `Content-Type must be ${allowed} in UTF-8, not text/plain`,
        headers,
      });
    refuses('PATCH', PATCH_TYPES, PATCH_TYPES.join(' or '), {
      'Accept-Patch': PATCH_TYPES.join(', '),
    });
    for (const method of ['POST', 'PUT']) {
      refuses(method, ['application/json', 'application/*+json'], 'application/json', {
        'Accept-Post': 'application/json',
      });
    }
    assert.throws(() => check('POST', {}, PATCH_TYPES), { message: /, not absent$/ });
  });

  it('is no help in a coding: the refusal says which there is', () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    assert.throws(() => check('POST', headers, ['application/json']), {
      message: 'Content-Encoding must be absent or identity, not gzip',
      headers: { 'Accept-Post': 'application/json', 'Accept-Encoding': 'identity' },
    });
  });
});

it('the length of content is at most 64 KiB, unless its route takes more', () => {
  const declare = (length: number, maxBytes?: number) => () => {
    const request = new IncomingMessage(new Socket());
    request.headers['content-length'] = String(length);
    checkContentLength(request, maxBytes);
  };
  declare(64 * 1024)();
  assert.throws(declare(64 * 1024 + 1), { code: 'content-too-large' });
  declare(100_000, 100_000)();
  assert.throws(declare(100_001, 100_000), { code: 'content-too-large', message: /100000 bytes/ });
});
