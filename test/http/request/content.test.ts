import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { checkContentType } from '../../../src/http/request/content.ts';

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
