import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Request } from '../../../src/lib/http/messages/request.ts';
import type { ReplicaStore } from '../../../src/replicas/replica-store.ts';
import { sharedRoutes } from '../../../src/replicas/shared-routes.ts';
import { type ItemList, ListSite } from '../../../src/service/items/item-list.ts';
import { describedRoute } from '../../../src/service/operation.ts';
import { serviceProblem } from '../../../src/service/problem-types.ts';
import { variantA } from '../../../src/service/todo/variant-a.ts';
import { appOf } from '../../support/service.ts';

const PROBLEM = serviceProblem('store-unavailable', 'a test');

const STATS = { revision: 7, lag: 0, retries: 0, conflicts: 0, loads: 1, unknownOutcomes: 0 };

/** An app in memory, whose routes are adapted to a store that can fail. */
function adapted() {
  const app = appOf(variantA, {});
  const { base, control } = app;
  const store: Writable<ReplicaStore> = {
    ...base.list.store,
    ...{ catchUp: async () => {}, isLoaded: true, problem: undefined, stats: STATS },
    close: () => {},
  };
  const server = { draining: false };
  const adapt = sharedRoutes(store, server, variantA.api.items);
  /** Asks for items. Returns the lists that the request holds when it is handled. */
  const heldBy = async (method: string, path: string) => {
    const held: (ItemList | undefined)[] = [];
    const route = describedRoute(method, path, {
      ...{
        id: 'test',
        summary: '',
        description: '',
        tag: { name: variantA.api.items, description: '' },
        responses: {},
      },
      handle: ({ site }) => {
        held.push(ListSite.of({ site }).held);
        return { status: 200 };
      },
    });
    const site = app.siteOf({ method, path, headers: {} });
    await adapt(route).handle(requestAt(site));
    return held;
  };
  /** Asks for health or metrics. */
  const get = async (path: string) => {
    const site = app.siteOf({ method: 'GET', path, headers: {} });
    const route = site.router.routes.find((each) => each.path === path) ?? assert.fail();
    return adapt(route).handle(requestAt(site));
  };
  return { base, control, store, server, heldBy, get };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** A request of which handlers see the site alone. */
function requestAt(site: ListSite): Request {
  return { site } as unknown as Request;
}

it('a request holds no list while its write waits, and a read the one that is then mounted', async () => {
  const { base, control, store, heldBy } = adapted();
  const before = base.list;
  store.catchUp = async () => control.lists.mountItemsOf(base, store);
  assert.deepEqual(await heldBy('POST', '/api/todos'), [undefined]);
  const [held] = await heldBy('GET', '/api/todos');
  assert.notEqual(base.list, before);
  assert.equal(held, base.list);
});

it('a read fails without etcd, but an event stream opens if the list is loaded', async () => {
  const { store, heldBy } = adapted();
  store.catchUp = () => Promise.reject(PROBLEM);
  await assert.rejects(heldBy('GET', '/api/todos'), PROBLEM);
  assert.deepEqual(await heldBy('GET', '/api/todos/events'), [undefined]);
  store.isLoaded = false;
  await assert.rejects(heldBy('GET', '/api/todos/events'), PROBLEM);
});

it('health and metrics cover the store', async () => {
  const { store, server, get } = adapted();
  const metric = async (name: string) => {
    const { content } = await get('/metrics');
    return new RegExp(`^${name} (.*)$`, 'm').exec(String(content))?.[1];
  };
  assert.deepEqual([await metric('todo_rows'), await metric('todo_store_revision')], ['0', '7']);
  assert.deepEqual([(await get('/readyz')).status, await metric('todo_store_ready')], [200, '1']);
  server.draining = true;
  assert.equal(await metric('todo_store_ready'), '0');
  server.draining = false;
  store.problem = PROBLEM;
  await assert.rejects(get('/readyz'), PROBLEM);
  assert.equal((await get('/livez')).status, 200);
  assert.equal(await metric('todo_store_ready'), '0');
});
