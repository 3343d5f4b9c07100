import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import { Site } from '../../../../../src/lib/http/routing/site.ts';
import { HttpServer } from '../../../../../src/lib/http/server/server.ts';
import { type ByteString, byteString } from '../../../../../src/lib/json/byte-string.ts';
import { rawClientFor } from '../../../../support/raw.ts';
import { createRequest, getRequest } from '../../../../support/raw-requests.ts';
import { inParts, route } from '../../../../support/route.ts';
import { turnsUntil } from '../../../../support/within.ts';

/** A site with a name, which its routes respond with. */
class NamedSite extends Site {
  readonly name: string;
  held = 0;

  constructor(basePath: string, name: string, routeSet: Site['routeSet']) {
    super(basePath, routeSet);
    this.name = name;
  }

  override get heldBytes(): number {
    return this.held;
  }
}

/** A server with sites that share their routes: one below `/a`, another at all other paths. */
async function start(test: TestContext) {
  const server = new HttpServer({ onUnexpectedError: (error) => assert.fail(String(error)) });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const routeSet = server.routeSet({
    routes: [
      route('GET', '/name', ({ site }) => valueResponse(200, nameOf(site))),
      route('GET', '/held', ({ site }) => held.then(() => valueResponse(200, nameOf(site)))),
      route('POST', '/name', ({ site }) => valueResponse(200, nameOf(site)), {
        content: { mediaTypes: ['application/json'] },
      }),
      route('GET', '/long', () => ({ status: 200, content: inParts(endlessText()) })),
    ],
    middleware: [(next) => (request) => next(request)],
    pathHint: ({ site }) => `, says ${nameOf(site)}`,
  });
  const makeSite = (basePath: string, name: string) => new NamedSite(basePath, name, routeSet);
  const base = makeSite('', 'base');
  const sites = { a: makeSite('/a', 'a') };
  server.setSites((path) => (/^\/a(?:\/|$)/.test(path) ? sites.a : base));
  const { port } = await server.listen(0, '127.0.0.1');
  test.after(() => server.drain(0));
  const textOf = async (request: string) => {
    const client = await rawClientFor(test, port);
    const response = await client.send(request).next();
    client.destroy();
    return response?.text;
  };
  return { server, port, sites, base, makeSite, textOf, release };
}

function nameOf(site: object): string {
  return site instanceof NamedSite ? site.name : 'none';
}

function* endlessText(): Generator<ByteString, undefined> {
  for (;;) yield byteString('x'.repeat(64 * 1024));
}

it('sites share routes, each below its prefix, and a request knows its site', async (test) => {
  const { textOf } = await start(test);
  assert.equal(await textOf(getRequest('/name')), '"base"');
  assert.equal(await textOf(getRequest('/a/name')), '"a"');
  assert.match(String(await textOf(getRequest('/a/naem'))), /did you mean \/a\/name\?/i);
  assert.match(String(await textOf(getRequest('/a/other'))), /no resource has .*, says a"/i);
  assert.match(String(await textOf(getRequest('/ab/name'))), /no resource has .*, says base"/i);
});

it('a request keeps the site that it was taken up by', async (test) => {
  const { port, sites, makeSite, textOf, release } = await start(test);
  const half = await rawClientFor(test, port);
  const whole = createRequest({ path: '/a/name' });
  half.send(whole.slice(0, -3));
  const waiting = await rawClientFor(test, port);
  waiting.send(getRequest('/a/held') + getRequest('/a/name'));
  const { a: before } = sites;
  await turnsUntil('both are taken up', () => before.requests === 2);
  sites.a = makeSite('/a', 'next');
  half.send(whole.slice(-3));
  release();
  assert.equal((await half.next())?.text, '"a"');
  // The second request of the connection was taken up after the response to the first.
  assert.deepEqual([(await waiting.next())?.text, (await waiting.next())?.text], ['"a"', '"next"']);
  await turnsUntil('both have ended', () => before.requests === 0);
  assert.equal(await textOf(getRequest('/a/name')), '"next"');
});

it('the memory that a site holds counts in equal parts for its clients', async (test) => {
  const { server, port, sites, release } = await start(test);
  const clients = [await rawClientFor(test, port), await rawClientFor(test, port)];
  for (const client of clients) client.send(getRequest('/a/held'));
  await turnsUntil('both are taken up', () => sites.a.requests === 2);
  const { total } = server.clients;
  sites.a.held = 1_000_000;
  assert.equal(server.clients.total - total, 1_000_000);
  release();
  for (const client of clients) await client.next();
  await turnsUntil('both have ended', () => sites.a.requests === 0);
  assert(server.clients.total < total);
});

it('a server can close the connections of a site', async (test) => {
  const { server, port, sites, base, textOf } = await start(test);
  const reader = await rawClientFor(test, port);
  reader.socket.pause();
  reader.send(getRequest('/a/long'));
  const other = await rawClientFor(test, port);
  other.send(getRequest('/held'));
  await turnsUntil('both are taken up', () => sites.a.requests + base.requests === 2);
  server.disconnect(sites.a);
  await turnsUntil('it has ended', () => sites.a.requests === 0);
  assert.equal(base.requests, 1);
  assert.equal(await textOf(getRequest('/a/name')), '"a"');
});
