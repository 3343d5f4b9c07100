import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Middleware } from '../../../../src/lib/http/core/request.ts';
import { RawClient, turns } from '../../../support/raw.ts';
import { serverFor } from '../../../support/server.ts';

it('a request that is being refused gets one response, although its content is malformed', async (test) => {
  let handled = 0;
  let goOn = () => {};
  const slow: Middleware = (next) => async (request) => {
    handled++;
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    return next(request);
  };
  const { port, errors } = await serverFor(test, [], {}, [slow]);
  const client = await RawClient.connect(port);
  test.after(() => client.destroy());
  client.send('POST /none HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n');
  await turns(20);
  client.send('not a chunk\r\n');
  await turns(20);
  goOn();
  const statuses = (await client.toEnd()).map(({ status }) => status);
  assert.deepEqual([statuses, handled, errors], [[404], 1, []]);
});
