import assert from 'node:assert/strict';
import { it } from 'node:test';
import { valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import { Exchange } from '../../../../../src/lib/http/server/exchange.ts';
import { rawClientFor, turns } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';

it('a connection that is paused, resumed and paused again in one turn reads nothing', async (test) => {
  const exchanges: Exchange[] = [];
  const { port } = await serverFor(test, [
    route('GET', '/', (request) => {
      exchanges.push(request instanceof Exchange ? request : assert.fail());
      return valueResponse(200, 1);
    }),
  ]);
  const client = await rawClientFor(test, port);
  await client.send(getRequest('/')).next();
  const { connection } = exchanges[0] ?? assert.fail();
  connection.stopReading();
  await turns(5);
  connection.readOn();
  connection.stopReading();
  client.send(getRequest('/'));
  await turns(50);
  assert.equal(exchanges.length, 1);
  connection.readOn();
  assert.equal((await client.next())?.status, 200);
});
