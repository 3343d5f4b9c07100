import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../../../src/lib/clock.ts';
import { EtcdClient } from '../../../../src/lib/replica/etcd/client.ts';
import { EtcdError, type Outcome } from '../../../../src/lib/replica/etcd/etcd-error.ts';
import { ResponseStream } from '../../../system/simulation/network/response-stream.ts';

/**
 * Sends a range to endpoints, each of which fails with some outcomes, and answers then.
 * @param ms the time that each attempt takes
 */
async function rangeOf(
  test: TestContext,
  failures: Readonly<Record<string, readonly Outcome[]>>,
  ms = 400,
) {
  let now = clock.now();
  test.mock.method(clock, 'now', () => now);
  const requests: string[] = [];
  const connect = (url: string) => {
    const left = [...(failures[url] ?? [])];
    const post = async () => {
      requests.push(url);
      now += ms;
      const outcome = left.shift();
      if (outcome !== undefined) throw new EtcdError(outcome, `${url}: a test`);
      const response = new ResponseStream(200);
      response.push(Buffer.from(JSON.stringify({ header: { cluster_id: '16', revision: '1' } })));
      response.end();
      return response;
    };
    return { post, close: () => {} };
  };
  const client = new EtcdClient({ endpoints: Object.keys(failures), connect }, () => {});
  const ended = await client.range({}).then(
    () => 'answered',
    ({ outcome }) => outcome,
  );
  return { ended, requests: requests.join(' ') };
}

describe('a request to etcd', () => {
  it('goes on while one endpoint refuses connections and another one is silent', async (test) => {
    const failures = { dead: ['unreachable', 'unreachable'], silent: ['unknown'] } as const;
    assert.deepEqual(await rangeOf(test, failures), {
      ended: 'answered',
      requests: 'dead silent dead silent',
    });
  });

  it('ends soon when all endpoints refuse connections', async (test) => {
    const failures = { one: ['unreachable', 'unreachable'], other: ['unreachable'] } as const;
    assert.deepEqual(await rangeOf(test, failures, 120), {
      ended: 'unsent',
      requests: 'one other one',
    });
  });
});
