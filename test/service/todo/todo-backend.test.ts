import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { todoBackend } from '../../../examples/todo-backend/variant.ts';
import { assertProblem } from '../../api/suite.ts';
import { CheckedClient } from '../../support/checked-client.ts';
import type { Answer } from '../../support/client.ts';
import { appOf } from '../../support/service.ts';

/** An item as JSON. */
interface Item {
  readonly id: number;
  readonly title: string;
  readonly completed: boolean;
  readonly order: number | null;
  readonly url: string;
}

const app = appOf(todoBackend, { env: { CORS_ORIGINS: '*' } });
let client: CheckedClient;
let baseUrl: string;

async function create(values: object): Promise<Item> {
  const answer = await client.post('/', values);
  assert.equal(answer.status, 201, answer.text);
  return answer.json<Item>();
}

async function list(query = ''): Promise<readonly Item[]> {
  return ok(await client.get(`/${query}`)).json();
}

async function get(item: Item): Promise<Item> {
  return ok(await client.get(pathOf(item))).json();
}

async function patch(item: Item, values: object): Promise<Item> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(values);
  return ok(await client.request('PATCH', pathOf(item), { headers, body })).json();
}

/** The path of an item's URL, which is absolute. */
function pathOf({ url }: Item): string {
  assert.equal(new URL(url).origin, baseUrl);
  return new URL(url).pathname;
}

function ok(answer: Answer): Answer {
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

describe('the Todo-Backend variant', () => {
  before(async () => {
    const { port } = await app.listen(0, '127.0.0.1');
    baseUrl = `http://127.0.0.1:${port}`;
    client = new CheckedClient(baseUrl);
  });

  beforeEach(() => client.delete('/'));

  after(async () => {
    await client.close();
    await app.stop(0);
  });

  describe('before anything is stored', () => {
    it('lets pages of any origin read responses and send every method', async () => {
      const origin = 'https://page.example';
      const { headers } = ok(await client.get('/', { origin }));
      assert.equal(headers['access-control-allow-origin'], '*');
      const preflight = await client.request('OPTIONS', '/1', {
        headers: {
          origin,
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'content-type',
        },
      });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers['access-control-allow-origin'], '*');
      assert.equal(preflight.headers['access-control-allow-headers'], 'content-type');
      const methods = String(preflight.headers['access-control-allow-methods']).split(', ');
      for (const method of ['GET', 'PATCH', 'DELETE']) assert(methods.includes(method), method);
    });

    it('has an empty list', async () => {
      assert.deepEqual(await list(), []);
    });

    it('responds to POST with what was posted', async () => {
      assert.equal((await create({ title: 'a todo' })).title, 'a todo');
    });

    it('has an empty list after DELETE of all', async () => {
      await create({ title: 'one' });
      await create({ title: 'two', completed: true });
      const { status, text } = await client.delete('/');
      assert.deepEqual({ status, text }, { status: 204, text: '' });
      assert.deepEqual(await list(), []);
      assert.equal((await client.delete('/')).status, 204, 'again');
    });
  });

  describe('a new item', () => {
    it('is in the list', async () => {
      const created = await create({ title: 'walk the dog' });
      assert.deepEqual(await list(), [created]);
    });

    it('is not completed', async () => {
      assert.equal((await create({ title: 'x' })).completed, false);
      assert.deepEqual(
        (await list()).map(({ completed }) => completed),
        [false],
      );
    });

    it('has a url, which returns it', async () => {
      const created = await create({ title: 'x' });
      assert.deepEqual(await get(created), created);
    });
  });

  describe('an item', () => {
    it('is found by the url that the list has', async () => {
      const created = [await create({ title: 'one' }), await create({ title: 'two' })];
      const listed = await list();
      assert.deepEqual(listed, created);
      assert.equal(new Set(listed.map(({ url }) => url)).size, 2);
      for (const item of listed) assert.deepEqual(await get(item), item);
    });

    for (const change of [{ title: 'new' }, { completed: true }, { order: 7 }]) {
      it(`can be patched: ${JSON.stringify(change)}, which persists`, async () => {
        const before = await create({ title: 'old', order: 1 });
        const after = await patch(before, change);
        assert.deepEqual(after, { ...before, ...change });
        assert.deepEqual(await get(before), after);
        assert.deepEqual(await list(), [after]);
      });
    }

    it('can be deleted by its url', async () => {
      const [gone, kept] = [await create({ title: 'one' }), await create({ title: 'two' })];
      assert.equal((await client.delete(pathOf(gone))).status, 204);
      assert.deepEqual(await list(), [kept]);
      assertProblem(await client.get(`/${gone.id}`), 404, 'not-found');
    });
  });

  describe('the order of an item', () => {
    it('can be given when it is created', async () => {
      const created = await create({ title: 'x', order: 523 });
      assert.equal(created.order, 523);
      assert.equal((await get(created)).order, 523);
    });

    it('is null if it is not given, and again if it is removed', async () => {
      assert.equal((await create({ title: 'x' })).order, null);
      const ordered = await create({ title: 'x', order: 1 });
      assert.equal((await patch(ordered, { order: null })).order, null);
    });

    it('sorts the list', async () => {
      for (const order of [2, 3, 1]) await create({ title: `${order}`, order });
      const titles = (await list('?sort=order')).map(({ title }) => title);
      assert.deepEqual(titles, ['1', '2', '3']);
    });
  });

  describe('its list at /', () => {
    it('has its items, their events and the pages of the list there', async () => {
      const created = await client.post('/', { title: 'x' });
      const path = new URL(created.json<Item>().url).pathname;
      assert.equal(created.headers.location, path);
      assert.equal(ok(await client.get(path)).headers.etag, created.headers.etag);
      await client.post('/', { title: 'y' });
      const { link } = ok(await client.get('/?limit=1')).headers;
      assert.match(
        String(link),
        /^<\?limit=1&offset=0>; rel="first", <\?limit=1&offset=1>; rel="next"/,
      );
      const stream = await fetch(`${baseUrl}/events`);
      assert.equal(stream.headers.get('content-type'), 'text/event-stream');
      await stream.body?.cancel();
    });

    it('has the other paths of the service, but no page', async () => {
      for (const path of ['/readyz', '/metrics', '/openapi.json']) ok(await client.get(path));
      const answer = ok(await client.get('/', { accept: 'application/json, text/html' }));
      assert.equal(answer.headers['content-type'], 'application/json');
      assertProblem(await client.get('/', { accept: 'text/html' }), 406, 'not-acceptable');
    });

    it('answers with its own route in place of the standard one', async () => {
      const item = await create({ title: 'x' });
      assertProblem(await client.delete('/?completed=true'), 400, 'malformed-request');
      assert.deepEqual(await list(), [item]);
      const { paths } = ok(await client.get('/openapi.json')).json<{
        paths: Readonly<Record<string, { delete: { summary: string } }>>;
      }>();
      assert.equal(paths['/']?.delete.summary, 'Delete all items');
    });
  });
});
