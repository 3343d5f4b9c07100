import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GapError } from '../../../../src/lib/replica/errors.ts';
import { EtcdError, errorOf } from '../../../../src/lib/replica/etcd/etcd-error.ts';

/** The error of a response with etcd's own message, or with another body. */
function errorFor(status: number, message: string, code?: number): EtcdError {
  const body = code === undefined ? message : JSON.stringify({ error: message, message, code });
  const error = errorOf(status, body, String);
  assert(error instanceof EtcdError);
  return error;
}

describe('an error of etcd', () => {
  it('leaves the outcome open unless etcd itself has refused the request', () => {
    for (const [status, message, code, outcome] of [
      [400, 'duplicate key', 3, 'rejected'],
      [404, 'Not Found', undefined, 'unknown'],
      [400, '{"message":"in a proxy"}', undefined, 'unknown'],
      [408, 'canceled', 1, 'unknown'],
      [429, 'no space', 8, 'rejected'],
      [503, 'no leader', 14, 'unknown'],
      [503, 'duplicate key', 3, 'unknown'],
      [412, 'etcdserver: authentication is not enabled', 9, 'authentication off'],
    ] as const) {
      assert.equal(errorFor(status, message, code).outcome, outcome, `${status} ${message}`);
    }
    assert.match(errorFor(404, 'Not Found\n').message, /404: Not Found;/);
    // The gateway of 3.6 has no `error`.
    assert.match(errorOf(400, '{"message":"in 3.6","code":3}', String).message, /in 3\.6$/);
    assert(errorOf(400, '{"message":"compacted","code":11}', String) instanceof GapError);
  });

  it('is known to require a new token', () => {
    const needsToken = (status: number, message: string, code: number) =>
      errorFor(status, message, code).outcome === 'unauthenticated';
    assert(needsToken(401, 'etcdserver: invalid auth token', 16));
    assert(needsToken(400, 'etcdserver: revision of auth store is old', 3));
    assert(needsToken(400, 'etcdserver: user name is empty', 3));
    assert(needsToken(503, 'rpc error: auth: revision in header is old', 2));
    assert(!needsToken(400, 'etcdserver: duplicate key given in txn request', 3));
    assert(!needsToken(403, 'etcdserver: permission denied', 7));
    assert(!needsToken(503, 'etcdserver: invalid auth token', 16));
  });

  it('names the option of etcd without which a replica cannot work', () => {
    for (const [status, message, code, option] of [
      [404, '404 page not found\n', undefined, '--enable-grpc-gateway=true'],
      [400, 'etcdserver: too many operations in txn request', 3, '--max-txn-ops=128'],
      [400, 'etcdserver: request is too large', 3, '--max-request-bytes=1572864'],
      [429, 'grpc: received message larger than max (3 vs. 2)', 8, '--max-request-bytes=1572864'],
    ] as const) {
      const error = errorFor(status, message, code);
      assert.equal(error.option, option);
      assert(error.message.endsWith(`; etcd needs ${option}`), error.message);
    }
    assert.equal(errorFor(413, 'request is too large').option, undefined, 'of a proxy');
    assert.equal(errorFor(404, 'Not Found', 5).option, undefined, 'of the gateway');
  });

  it('is shown without secrets, which do not change its meaning', () => {
    const redact = (text: string) => text.replaceAll('user', '…');
    const body = JSON.stringify({ message: 'etcdserver: user name is empty', code: 3 });
    const error = errorOf(400, body, redact);
    assert.equal(error.message, 'etcd answered 400: etcdserver: … name is empty');
    assert(error instanceof EtcdError && error.outcome === 'unauthenticated');
    const long = errorOf(502, `${'x'.repeat(198)}user`, redact);
    assert.equal(long.message, `etcd answered 502: ${'x'.repeat(198)}…`, 'no part of a secret');
  });
});

it('a request that failed is sent again unless that is in vain', () => {
  const outcomes = [
    ...(['unsent', 'login refused', 'authentication off', 'unauthenticated'] as const),
    ...(['rejected', 'unknown'] as const),
  ];
  const retried = outcomes.filter((outcome) => new EtcdError(outcome, '').isTransient);
  assert.deepEqual(retried, ['unsent', 'unauthenticated', 'unknown']);
});
