import assert from 'node:assert/strict';
import { it } from 'node:test';
import { valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import { Router } from '../../../../../src/lib/http/routing/router.ts';
import { rawClientFor } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';
import { turnsUntil } from '../../../../support/within.ts';

// The other rules are tested over HTTP (`lists.test.ts`, `reset.test.ts`, `old-lists.test.ts`).
it('the memory that requests hold together counts one time for all of its clients', async (test) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { server, port } = await serverFor(test, []);
  const routes = [route('GET', '/', () => released.then(() => valueResponse(200, 'x')))];
  const held = { heldBytes: 1_000_000 };
  const site = { basePath: '', router: new Router(routes), held };
  server.serve({ siteOf: () => site });
  const requests = () => server.clients.holders().get(held) ?? 0;
  const clients = [await rawClientFor(test, port), await rawClientFor(test, port)];
  for (const client of clients) client.send(getRequest('/'));
  await turnsUntil('both are taken up', () => requests() === 2);
  const { total } = server.clients;
  assert(total >= 1_000_000 && total < 1_100_000, `${total} bytes`);
  release();
  for (const client of clients) await client.next();
  await turnsUntil('both have ended', () => requests() === 0);
  assert(server.clients.total < 100_000);
});
