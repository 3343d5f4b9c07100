import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, it } from 'node:test';
import { accessLog } from '../../../src/features/access-log.ts';
import { HttpMetrics } from '../../../src/features/metrics/http-metrics.ts';
import { NOT_YET, type Steps } from '../../../src/http/core/response.ts';
import { RawClient } from '../../support/raw.ts';
import { getRequest } from '../../support/raw-requests.ts';
import { route } from '../../support/route.ts';
import { serverFor } from '../../support/server.ts';

describe('a client that disconnects while its response is produced', () => {
  it('is counted and logged as a request without a response, not as an error', async (test) => {
    const seen = new EventEmitter();
    const endless: Steps<undefined, never> = {
      next: () => {
        seen.emit('step');
        return NOT_YET;
      },
    };
    const metrics = new HttpMetrics();
    const { port, errors } = await serverFor(
      test,
      [route('GET', '/endless', (request) => request.run(endless))],
      {},
      [accessLog((line) => seen.emit('line', line)), metrics.middleware],
    );
    const client = await RawClient.connect(port);
    const logged = once(seen, 'line');
    const begun = once(seen, 'step');
    client.send(getRequest('/endless'));
    await begun;
    client.reset();
    const [{ status, clientAddress }] = await logged;
    assert.equal(status, undefined);
    assert.equal(clientAddress, '127.0.0.1');
    const [durations] = metrics.read();
    assert.deepEqual(durations?.samples.at(-1), {
      suffix: '_count',
      labels: {
        http_request_method: 'GET',
        http_route: '/endless',
        http_response_status_code: undefined,
      },
      value: 1,
    });
    assert.deepEqual(errors, []);
  });
});
