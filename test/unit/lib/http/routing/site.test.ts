import assert from 'node:assert/strict';
import { it } from 'node:test';
import { valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import { Site } from '../../../../../src/lib/http/routing/site.ts';
import { rawClientFor } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';
import { turnsUntil } from '../../../../support/within.ts';

class HoldingSite extends Site {
  override get heldBytes(): number {
    return 1_000_000;
  }
}

// The other rules are tested over HTTP (`lists.test.ts`, `reset.test.ts`, `old-lists.test.ts`).
it('the memory that a site holds counts one time for all of its clients', async (test) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { server, port } = await serverFor(test, []);
  const routes = [route('GET', '/', () => released.then(() => valueResponse(200, 'x')))];
  const site = new HoldingSite('', server.routeSet({ routes }));
  server.setSites(() => site);
  const clients = [await rawClientFor(test, port), await rawClientFor(test, port)];
  for (const client of clients) client.send(getRequest('/'));
  await turnsUntil('both are taken up', () => site.requests === 2);
  const { total } = server.clients;
  assert(total >= 1_000_000 && total < 1_100_000, `${total} bytes`);
  release();
  for (const client of clients) await client.next();
  await turnsUntil('both have ended', () => site.requests === 0);
  assert(server.clients.total < 100_000);
});
