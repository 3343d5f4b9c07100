import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { checkContentType } from '../../../../../src/lib/http/request/header-section.ts';

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

  it('is no help in a coding: the refusal says which there is', () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    assert.throws(() => check('POST', headers, ['application/json']), {
      message: 'Content-Encoding must be absent or identity, not gzip',
      headers: { 'Accept-Post': 'application/json', 'Accept-Encoding': 'identity' },
    });
  });
});
