import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { checkAccept } from '../../../../../src/lib/http/request/header-section.ts';

const BOTH = ['application/json', 'text/html'];

function requestWith(headers: Readonly<Record<string, string>>, httpVersion = '1.1') {
  const request = new IncomingMessage(new Socket());
  request.httpVersion = httpVersion;
  Object.assign(request.headers, { host: 'h' }, headers);
  return request;
}

describe('the media types that a client accepts', () => {
  it('must accept a type of the response, if that has content', () => {
    checkAccept(requestWith({}), BOTH);
    checkAccept(requestWith({ accept: 'text/html' }), BOTH);
    checkAccept(requestWith({ accept: 'image/png' }), []);
    assert.throws(() => checkAccept(requestWith({ accept: 'image/png' }), BOTH), {
      code: 'not-acceptable',
    });
  });

  it('make the refusal vary where the response would', () => {
    const refusesWith = (mediaTypes: readonly string[], detail: string, headers: object) =>
      assert.throws(() => checkAccept(requestWith({ accept: 'image/png' }), mediaTypes), {
        message: `Accept must allow ${detail}`,
        headers,
      });
    refusesWith(BOTH, 'application/json or text/html', { Vary: 'Accept' });
    refusesWith(['text/html'], 'text/html', {});
  });
});
