import assert from 'node:assert/strict';
import { it } from 'node:test';
import { longResponse } from '../../../../../src/lib/http/messages/long-content.ts';
import { jsonResponse } from '../../../../../src/lib/http/messages/response.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { RawClient, rawClientFor, turns } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { inParts, route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';

/** The clients of long responses, and the time of each step of their work, in milliseconds. */
const CLIENTS = 40;
const STEP_MS = 0.25;

it('a client that connects while others ask for long lists is not held up by them', async (test) => {
  const clock = new ManualClock(test);
  let worked = 0;
  const endless = function* () {
    for (;;) {
      worked += STEP_MS;
      clock.skip(STEP_MS);
      yield;
    }
  };
  const { port } = await serverFor(test, [
    route('GET', '/long', (request) =>
      longResponse(request, 200, { make: () => inParts(endless()) }),
    ),
    route('GET', '/now', () => jsonResponse(200, byteString('{}'))),
  ]);
  const early = await rawClientFor(test, port);
  await early.sendApart();
  const connections = Array.from({ length: CLIENTS }, () => RawClient.connect(port));
  const newcomer = RawClient.connect(port);
  const answered = newcomer.then(async (client) => {
    assert.equal((await client.send(getRequest('/now')).next())?.status, 200);
    client.destroy();
    return worked;
  });
  const load = connections.map(async (connecting) => (await connecting).send(getRequest('/long')));
  const workedFirst = await answered;
  const clients = await Promise.all(load);
  // With 2 ms in each turn, it would be 80 ms.
  assert(workedFirst < CLIENTS / 2, `${workedFirst} ms of long work went first`);
  assert.equal((await early.send(getRequest('/now')).next())?.status, 200);
  const before = worked;
  await turns(100);
  assert(worked - before > 100, 'afterwards, long work goes on');
  for (const client of clients) client.destroy();
});
