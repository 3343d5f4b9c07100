import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';
import { valueResponse } from '../../../../../src/lib/http/core/response.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';
import { turnsUntil } from '../../../../support/within.ts';

it('after the last response, a client that sends more than the limit is disconnected', async (test) => {
  // The time limit does not end the connection within this test.
  const settings = { lingerBytes: 10_000, lingerTimeout: 600_000 };
  const { port } = await serverFor(
    test,
    [route('GET', '/', () => valueResponse(200, 1))],
    settings,
  );
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
  // The server may reset the connection while bytes are on their way.
  client.on('error', () => {});
  client.write(getRequest('/', 'Connection: close\r\n'));
  await once(client, 'end');
  // After the end, a client notices that the server has disconnected when it writes.
  await turnsUntil('the server has disconnected', () => {
    client.write(getRequest('/').repeat(100));
    return client.destroyed;
  });
});
