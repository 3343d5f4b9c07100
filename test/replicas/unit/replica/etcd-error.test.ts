import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GapError } from '../../../../src/replicas/replica/errors.ts';
import { EtcdError, errorOf } from '../../../../src/replicas/replica/etcd/etcd-error.ts';

/** The error of a response with etcd's own message, or with another body. */
function errorFor(status: number, message: string, code?: number): EtcdError {
  const body = code === undefined ? message : JSON.stringify({ error: message, message, code });
  const error = errorOf(status, body);
  assert(error instanceof EtcdError);
  return error;
}

describe('an error of etcd', () => {
  it('leaves the outcome open unless etcd itself has refused the request', () => {
    for (const [status, message, code, outcome] of [
      [400, 'duplicate key', 3, 'refused'],
      [403, 'permission denied', 7, 'refused'],
      [404, 'Not Found', undefined, 'unknown'],
      [400, '{"message":"in a proxy"}', undefined, 'unknown'],
      [408, 'canceled', 1, 'unknown'],
      [429, 'no space', 8, 'refused'],
      [503, 'no leader', 14, 'unknown'],
      [503, 'duplicate key', 3, 'unknown'],
      [412, 'etcdserver: authentication is not enabled', 9, 'no login'],
    ] as const) {
      assert.equal(errorFor(status, message, code).outcome, outcome, `${status} ${message}`);
    }
    // The gateway of 3.6 has no `error`.
    assert.match(errorOf(400, '{"message":"in 3.6","code":3}').message, /in 3\.6$/);
    assert(errorOf(400, '{"message":"compacted","code":11}') instanceof GapError);
  });

  it('is known to require a new token', () => {
    const needsToken = (status: number, message: string, code: number) =>
      errorFor(status, message, code).outcome === 'old token';
    assert(needsToken(401, 'etcdserver: invalid auth token', 16));
    assert(needsToken(400, 'etcdserver: revision of auth store is old', 3));
    assert(needsToken(400, 'etcdserver: user name is empty', 3));
    assert(needsToken(503, 'rpc error: auth: revision in header is old', 2));
    assert(!needsToken(400, 'etcdserver: duplicate key given in txn request', 3));
    assert(!needsToken(403, 'etcdserver: permission denied', 7));
    assert(!needsToken(503, 'etcdserver: invalid auth token', 16));
  });

  it('is shown without the text of another program', () => {
    assert.equal(errorFor(502, 'Bad gateway of 10.0.0.7').message, 'etcd answered 502');
  });
});
