import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Request } from '../../../../../src/lib/http/messages/request.ts';
import { valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import { Router } from '../../../../../src/lib/http/routing/router.ts';
import { rawClientFor } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';
import { turnsUntil } from '../../../../support/within.ts';

// The other rules are tested over HTTP (`lists.test.ts`, `reset.test.ts`, `old-lists.test.ts`).
it('the server lists what requests hold together, as long as one of them has not ended', async (test) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { server, port } = await serverFor(test, []);
  const routes = [route('GET', '/', () => released.then(() => valueResponse(200, 'x')))];
  const held = { heldBytes: 1_000_000 };
  const site = { basePath: '', router: new Router(routes), held };
  server.serve({ siteOf: () => site });
  const requests = () => server.held.get(held) ?? 0;
  const clients = [await rawClientFor(test, port), await rawClientFor(test, port)];
  for (const client of clients) client.send(getRequest('/'));
  await turnsUntil('both are taken up', () => requests() === 2);
  release();
  for (const client of clients) await client.next();
  await turnsUntil('both have ended', () => requests() === 0);
});

it('a request for a state that ends gets 503, unless it has written something', async (test) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { server, port } = await serverFor(test, []);
  const waiting = (isWrite: boolean) => async (request: Request) => {
    await request.wait(released, { isWrite });
    return valueResponse(200, 'x');
  };
  const routes = [route('GET', '/read', waiting(false)), route('GET', '/write', waiting(true))];
  const held = { heldBytes: 1_000_000 };
  server.serve({ siteOf: () => ({ basePath: '', router: new Router(routes), held }) });
  const [read, write] = [await rawClientFor(test, port), await rawClientFor(test, port)];
  read.send(getRequest('/read'));
  write.send(getRequest('/write'));
  await turnsUntil('both are taken up', () => server.held.get(held) === 2);
  server.endRequestsOf(held);
  assert.equal((await read.next())?.status, 503);
  release();
  assert.equal((await write.next())?.status, 200);
});
