import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { variantB } from '../../../src/service/todo/variant-b.ts';
import { Exchange, RequestError, type Send } from '../../../src/web-page/client/api/api-request.ts';
import { createService } from '../../../src/web-page/client/api/service.ts';
import { List } from '../../../src/web-page/client/list/item-list.ts';
import { ListQuery } from '../../../src/web-page/client/list/list-query.ts';
import { pageDataOf } from './running-service.ts';

function serviceOf(send: Send = () => Promise.reject(new Error('not sent'))) {
  return createService(pageDataOf(variantB), '', send);
}

const queryOf = (query: string) => new ListQuery(serviceOf(), query);

describe('the query of the visible part of the list', () => {
  it('is that of the address, with 50 items a page', () => {
    assert.equal(queryOf('').apiPath, '/api/todos?limit=50');
    assert.equal(queryOf('?limit=2&priority.gte=4').apiPath, '/api/todos?limit=2&priority.gte=4');
    assert.equal(queryOf('').pageQuery, '');
    assert.equal(queryOf('?id=7').pageQuery, '?id=7');
  });

  it('selects the open or done items of all pages that the search and the filters show', () => {
    const all = 'search=milk&completed=false&priority.gte=4&sort=-id&limit=2&offset=4';
    const rest = 'search=milk&completed=true&priority.gte=4';
    for (const [query, expected] of [
      [all, rest],
      ['search=milk', 'search=milk&completed=true'],
      ['title.in=a&title.in=b', 'title.in=a&title.in=b&completed=true'],
      ['', 'completed=true'],
    ] as const) {
      const { openPath, donePath } = queryOf(query);
      const path = `/api/todos?${expected}`;
      assert.deepEqual([openPath, donePath], [path.replace('true', 'false'), path]);
    }
  });

  it('is whole without conditions, from the first item', () => {
    for (const query of ['', 'sort=-id', 'limit=2', 'limit=2&offset=0']) {
      assert.equal(queryOf(query).isUnfiltered, true, query);
    }
    for (const query of ['search=a', 'completed=true', 'id=7', 'offset=50']) {
      assert.equal(queryOf(query).isUnfiltered, false, query);
    }
  });

  it('has as filters the conditions that have no control', () => {
    const query = queryOf('search=a&completed=true&id.in=1&id.in=2&sort=id&limit=2&offset=2');
    const filters = [
      ['id.in', '1'],
      ['id.in', '2'],
    ];
    assert.deepEqual(query.filters, filters);
    const [first = assert.fail()] = query.filters;
    assert.equal(
      query.without(first).pageQuery,
      '?search=a&completed=true&id.in=2&sort=id&limit=2',
    );
    assert.equal(queryOf('id.in=1&offset=50').and(['id.in', '2']).pageQuery, '?id.in=1&id.in=2');
    const changed = query.with([
      ['search', ' '],
      ['sort', '-id'],
    ]);
    assert.equal(changed.pageQuery, '?completed=true&id.in=1&id.in=2&sort=-id&limit=2');
  });

  it('leads to other pages', () => {
    const pagesOf = (query: string, total: number) =>
      Object.fromEntries(
        [...queryOf(query).pages(total)].map(([name, { pageQuery }]) => [name, pageQuery]),
      );
    const [next, last] = ['?offset=50', '?offset=100'];
    assert.deepEqual(pagesOf('', 50), {});
    assert.deepEqual(pagesOf('', 51), { next, last: next });
    assert.deepEqual(pagesOf('', 100), { next, last: next });
    assert.deepEqual(pagesOf('', 120), { next, last });
    assert.deepEqual(pagesOf('offset=50', 120), { first: '', prev: '', next: last, last });
    assert.deepEqual(pagesOf('offset=100', 120), { first: '', prev: next });
    const eighty = '?offset=80';
    const fromThirty = { first: '', prev: '', next: eighty, last: eighty };
    assert.deepEqual(pagesOf('offset=30', 120), fromThirty);
    assert.deepEqual(pagesOf('offset=900', 120), { first: '', prev: last });
    assert.deepEqual(pagesOf('offset=50', 0), { first: '', prev: '' });
    const [start, end] = ['?limit=2&search=a', '?limit=2&search=a&offset=4'];
    const fromTwo = { first: start, prev: start, next: end, last: end };
    assert.deepEqual(pagesOf('limit=2&search=a&offset=2', 5), fromTwo);
    for (const limit of ['0', 'x']) assert.deepEqual(pagesOf(`limit=${limit}`, 9), {});
  });
});

/** A list, and its requests, which a test answers. */
function startList(test: TestContext, query = '') {
  test.mock.timers.enable({ apis: ['setTimeout'] });
  const requests: {
    path: string;
    answer(ids: number[], total?: number): void;
    fail(status: number): void;
  }[] = [];
  const service = serviceOf(
    (request) =>
      new Promise((resolve, reject) => {
        request.signal?.addEventListener('abort', () => reject(new Error('aborted')));
        requests.push({
          path: request.path,
          answer(ids, total = ids.length) {
            const headers = new Headers({ 'X-Total-Count': String(total) });
            const text = JSON.stringify(ids.map((id) => ({ id, title: 'x' })));
            resolve(Object.assign(new Exchange(request), { headers, text, durationMs: 100 }));
          },
          fail: (status) => reject(new RequestError(status)),
        });
      }),
  );
  const list = new List(service, new ListQuery(service, query));
  const pass = async (ms: number) => {
    test.mock.timers.tick(ms);
    await settled();
  };
  const last = () => requests.at(-1) ?? assert.fail('no request');
  const shown = () => [list.items.map(({ id }) => Number(id)), list.total];
  return { list, service, requests, last, pass, shown };
}

/** An event of the stream, by default about an item that the list does not show. */
const eventOf = (event: string, item: object = { id: 99 }) => ({
  event,
  data: JSON.stringify(item),
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the visible part of the list', () => {
  it('is fetched one time at the start, when the event stream is ready', async (test) => {
    const { list, requests, last, pass, shown } = startList(test);
    list.start(300);
    await pass(299);
    assert.equal(requests.length, 0);
    void list.applyEvent(eventOf('ready'));
    assert.equal(requests.length, 1);
    last().answer([1]);
    await pass(1_000);
    assert.deepEqual([requests.length, shown()], [1, [[1], 1]]);
    void list.applyEvent(eventOf('put'));
    await pass(1_000);
    assert.equal(requests.length, 2);
  });

  it('is fetched at the start although the event stream is late, and again when it is ready', async (test) => {
    const { list, requests, last, pass } = startList(test);
    list.start(300);
    await pass(300);
    assert.equal(requests.length, 1);
    last().answer([1]);
    await pass(1_000);
    void list.applyEvent(eventOf('ready'));
    await pass(1_000);
    assert.equal(requests.length, 2);
  });

  it('is fetched after each change, and changes that follow each other share a request', async (test) => {
    const { list, requests, last, pass, shown } = startList(test);
    void list.load();
    last().answer([1]);
    await settled();
    for (const type of ['put', 'put', 'delete']) void list.applyEvent(eventOf(type));
    await pass(199);
    assert.equal(requests.length, 1);
    await pass(1);
    assert.equal(requests.length, 2);
    void list.applyEvent(eventOf('put'));
    await pass(1_000);
    assert.equal(requests.length, 2, 'a change does not abort a request under way');
    last().answer([1, 2], 60);
    await settled();
    assert.deepEqual(shown(), [[1, 2], 60]);
    assert.equal(requests.length, 3);
  });

  it('is that of the last query, although an earlier response comes later', async (test) => {
    const { list, service, requests, shown } = startList(test);
    void list.load();
    void list.load(new ListQuery(service, 'offset=50'));
    const [first, second] = requests;
    assert.deepEqual([list.isLoading, list.query.offset], [true, 50]);
    second?.answer([51], 51);
    first?.answer([1]);
    await settled();
    assert.deepEqual([list.isLoading, ...shown()], [false, [51], 51]);
  });

  it('is fetched again if the failure may pass', async (test) => {
    const { list, service, requests, last, pass, shown } = startList(test);
    void list.load();
    last().answer([1]);
    await settled();
    for (const status of [503, 0]) {
      void list.load();
      last().fail(status);
      await settled();
      assert.deepEqual(shown(), [[1], 1], 'the items stay');
      assert(list.problem instanceof RequestError);
      const { length } = requests;
      await pass(2_000);
      await pass(200);
      assert.equal(requests.length, length + 1, String(status));
      last().answer([1]);
      await settled();
      assert.equal(list.problem, undefined);
    }
    void list.load(new ListQuery(service, 'priority.gte=x'));
    last().fail(400);
    await settled();
    assert.deepEqual(shown(), [[], 0], 'items of another query go');
    const { length } = requests;
    await pass(10_000);
    assert.equal(requests.length, length);
  });

  it('is not fetched again after a failure that has passed', async (test) => {
    const { list, requests, last, pass } = startList(test);
    void list.load();
    last().fail(503);
    await settled();
    void list.load();
    last().answer([1]);
    for (let tries = 0; tries < 3; tries++) await pass(10_000);
    assert.equal(requests.length, 2);
  });

  it('shows a changed item without a request if its place cannot change', async (test) => {
    const { list, service, requests, last, pass, shown } = startList(test);
    const titles = () => list.items.map(({ name }) => name);
    void list.load();
    last().answer([1, 2]);
    await settled();
    void list.applyEvent(eventOf('put', { id: 1, title: 'new' }));
    void list.applyEvent(eventOf('ping', {}));
    await pass(1_000);
    assert.deepEqual([titles(), shown(), requests.length], [['new', 'x'], [[1, 2], 2], 1]);

    for (const [query, isAffected] of [
      ['title=x', true],
      ['title.contains=x', true],
      ['search=x', true],
      ['where={}', true],
      ['sort=priority,-title.ignoreCase', true],
      ['priority=3&sort=-id&limit=2', false],
    ] as const) {
      void list.load(new ListQuery(service, query));
      last().answer([1, 2]);
      await settled();
      const { length } = requests;
      void list.applyEvent(eventOf('put', { id: 1, title: 'new' }));
      await pass(1_000);
      assert.equal(requests.length, length + Number(isAffected), query);
      if (isAffected) last().answer([2]);
      await settled();
    }
  });

  it('is fetched if an item changes while it is fetched, or after a failure', async (test) => {
    const { list, requests, last, pass } = startList(test);
    const change = () => list.applyEvent(eventOf('put', { id: 1, title: 'new' }));
    void list.load();
    last().answer([1]);
    await settled();
    void list.load();
    void change();
    last().answer([1]);
    await pass(1_000);
    assert.equal(requests.length, 3);
    last().fail(400);
    await settled();
    void change();
    await pass(1_000);
    assert.equal(requests.length, 4);
  });

  it('reports a reset', async (test) => {
    const { list } = startList(test);
    const fired: string[] = [];
    list.addEventListener('reset', () => fired.push('reset'));
    void list.applyEvent(eventOf('put'));
    assert.deepEqual(fired, []);
    void list.applyEvent(eventOf('reset'));
    assert.deepEqual(fired, ['reset']);
  });
});
