import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Answer } from '../support/client.ts';
import { type Api, assertProblem, describeApi, uniqueWord } from './suite.ts';

const MEDIA_TYPES = 'application/json, application/x-www-form-urlencoded';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Sends a QUERY of the list, with a value as JSON. */
function query(api: Api, value: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return api.send('QUERY', api.collection, JSON.stringify(value), headers);
}

/** Sends a QUERY of the list, with a form. */
function queryForm(api: Api, form: string, headers: Record<string, string> = {}): Promise<Answer> {
  return api.send('QUERY', api.collection, form, { ...FORM, ...headers });
}

/** How often to try again because others have written in between. */
const MAX_TRIES = 100;

/** Sends a request, and a GET of the same list, until nobody has written in between. */
async function besideGet(
  api: Api,
  send: () => Promise<Answer>,
  target: (answer: Answer) => string,
): Promise<readonly [Answer, Answer]> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const answer = await send();
    const get = await api.client.get(target(answer));
    if (get.headers.etag === answer.headers.etag) return [answer, get];
  }
  return assert.fail('the tags are never the same');
}

/** Where a query breaks rules, and which ones. */
function violationsOf(answer: Answer): Record<string, string[]> {
  const { errors = [] } = assertProblem(answer, 422, 'unprocessable-query');
  const violations: Record<string, string[]> = {};
  for (const { pointer, code } of errors) {
    violations[pointer] = [...(violations[pointer] ?? []), code];
  }
  return violations;
}

describeApi('QUERY of the list', 'QUERY, where, DELETE by condition', (api) => {
  const word = uniqueWord();
  const { collection } = api;
  before(async () => {
    for (const priority of [1, 2, 3, 4, 5]) await api.create({ title: `${word} milk`, priority });
  });
  const mine = { title: { contains: word } };
  const found = async (where: unknown) => {
    const answer = await query(api, { where: { and: [mine, where] } });
    assert.equal(answer.status, 200, answer.text);
    return answer.json<{ priority: number }[]>().map(({ priority }) => priority);
  };

  it('takes conditions as JSON', async () => {
    assert.deepEqual(await found({}), [1, 2, 3, 4, 5]);
    assert.deepEqual(await found({ priority: 3 }), [3]);
    assert.deepEqual(await found({ priority: { gte: 2, lt: 4 } }), [2, 3]);
    assert.deepEqual(await found({ priority: { in: [1, 5] } }), [1, 5]);
    assert.deepEqual(await found({ priority: { notIn: [1, 5] }, completed: false }), [2, 3, 4]);
    assert.deepEqual(
      await found({ or: [{ priority: 1 }, { not: { priority: { lt: 5 } } }] }),
      [1, 5],
    );
    assert.deepEqual(await found({ and: [] }), [1, 2, 3, 4, 5]);
    assert.deepEqual(await found({ or: [] }), []);
    assert.deepEqual(await found({ not: {} }), []);
    if (api.variant.fields.description?.nullable !== true) return;
    assert.deepEqual(await found({ description: null }), []);
    assert.deepEqual(await found({ description: { isNull: false } }), [1, 2, 3, 4, 5]);
  });

  it('responds as the GET that Location names', async () => {
    for (const wanted of [
      { where: mine, sort: '-priority', limit: 2, offset: 1 },
      { search: `${word} MILK`, sort: 'priority' },
      { where: { or: [mine, { title: 'a, b: "c" & d=é%+' }] } },
    ]) {
      const location = ({ headers }: Answer) => `${collection}${headers.location}`;
      const [answer, get] = await besideGet(api, () => query(api, wanted), location);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.text, get.text, location(answer));
      for (const field of ['etag', 'link', 'x-total-count', 'cache-control', 'content-type']) {
        assert.equal(answer.headers[field], get.headers[field], field);
      }
    }
    assert.equal((await query(api, {})).headers.location, '?');
    for (const number of ['1e400', '1e-400', '2.9999999999999999']) {
      const content = `{"where":{"id":${number}},"limit":${number},"offset":${number}}`;
      const type = ['type'];
      assert.deepEqual(violationsOf(await api.send('QUERY', collection, content)), {
        '#/where/id': type,
        '#/limit': type,
        '#/offset': type,
      });
    }
    const far = '9'.repeat(400);
    const odd = await api.send('QUERY', collection, `{"limit":1e0,"offset":${far}}`);
    const located = await api.client.get(`${collection}${odd.headers.location}`);
    assert.deepEqual([odd.status, located.status, located.text], [200, 200, '[]']);
  });

  it('takes the query string of the list as a form', async () => {
    const form = `search=${word}&priority.gte=3&sort=-priority&limit=2`;
    const target = `${collection}?${form}`;
    const [answer, get] = await besideGet(
      api,
      () => queryForm(api, form),
      () => target,
    );
    assert.equal(answer.text, get.text);
    assert.equal(answer.headers.location, `?${form}`);
    const narrowed = await queryForm(api, `search=${word}&where={"priority":{"gt":4}}`);
    assert.deepEqual(
      narrowed.json<{ priority: number }[]>().map(({ priority }) => priority),
      [5],
    );
    const [empty, all] = await besideGet(
      api,
      () => queryForm(api, ''),
      () => collection,
    );
    assert.equal(empty.text, all.text);
  });

  it('omits Location where it and Link would be too long', async () => {
    const where = { or: [mine, { title: 'x'.repeat(2900) }] };
    const answer = await query(api, { where });
    assert.equal(answer.status, 200);
    assert.ok(String(answer.headers.location).length < 3 * 1024);
    const long = await query(api, { where: { or: [mine, { title: 'x'.repeat(3100) }] } });
    assert.equal(long.status, 200);
    assert.equal(long.headers.location, undefined);
    const paged = await query(api, { where, limit: 1 });
    const lengths = [paged.headers.location, paged.headers.link].map((field) => `${field ?? ''}`);
    assert.ok(lengths.join('').length < 3 * 1024);
  });

  it('can be conditional', async () => {
    for (let tries = 0; ; tries++) {
      const { headers } = await query(api, { where: mine });
      const tag = String(headers.etag);
      const same = await query(api, { where: mine }, { 'if-none-match': tag });
      // Somebody else may have written in between.
      if (same.status === 200 && tries < MAX_TRIES) continue;
      assert.equal(same.status, 304);
      assert.equal(same.text, '');
      assert.equal(same.headers.etag, tag);
      assert.equal(same.headers.location, headers.location);
      assert.equal(same.headers['accept-query'], MEDIA_TYPES);
      assert.notEqual((await query(api, { where: mine, limit: 1 })).headers.etag, tag);
      break;
    }
    const failed = await query(api, { where: mine }, { 'if-match': '"another"' });
    assertProblem(failed, 412, 'precondition-failed');
  });

  it('says with every answer of the path what it takes', async () => {
    const answers = await Promise.all([
      api.client.get(collection),
      api.client.get(`${collection}?limit=x`),
      api.client.get(`${collection}?%ff`),
      api.client.get(collection, { accept: 'text/plain' }),
      api.client.request('HEAD', collection),
      api.client.request('OPTIONS', collection),
      api.client.request('TRACE', collection),
      query(api, {}),
      query(api, { limit: -1 }),
      api.send('QUERY', collection, '{}', { 'content-type': 'text/plain' }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 400, 400, 406, 200, 204, 405, 200, 422, 415],
    );
    for (const { headers } of answers) assert.equal(headers['accept-query'], MEDIA_TYPES);
  });

  it('is refused with content that is not what it says, or says nothing', async () => {
    const untyped = await api.client.request('QUERY', collection, { body: '{}' });
    assertProblem(untyped, 400, 'malformed-request');
    assertProblem(await api.client.request('QUERY', collection), 400, 'malformed-request');
    for (const text of ['', ' ', '{', '{"where":}', '\ufeff{']) {
      assertProblem(await api.send('QUERY', collection, text), 400, 'malformed-body');
    }
    assertProblem(await queryForm(api, 'search=%'), 400, 'malformed-query');
    const large = JSON.stringify({ search: 'x'.repeat(64 * 1024) });
    assertProblem(await api.send('QUERY', collection, large), 413, 'content-too-large');
    const text = await api.send('QUERY', collection, '{}', { 'content-type': 'text/json' });
    assertProblem(text, 415, 'unsupported-media-type');
  });

  it('has no query in its target', async () => {
    assert.equal((await api.send('QUERY', `${collection}?`, '{}')).status, 200);
    for (const mark of ['?limit=1', '?&', '?x']) {
      assertProblem(await api.send('QUERY', collection + mark, '{}'), 400, 'malformed-request');
    }
  });

  it('ignores nothing, and names every violation', async () => {
    const json = {
      where: {
        or: [{ priority: 'x', completed: null }, { priority: {} }, { titel: 1 }],
        title: { near: 'x', like: '\\', contains: null, in: 'x' },
        and: {},
      },
      search: 3,
      sort: 'x',
      limit: -1,
      offset: 1.5,
      page: 2,
    };
    assert.deepEqual(violationsOf(await query(api, json)), {
      '#/where/or/0/priority': ['type'],
      '#/where/or/0/completed': ['not-null'],
      '#/where/or/1/priority': ['min-properties'],
      '#/where/or/2/titel': ['unknown'],
      '#/where/title/near': ['unknown'],
      '#/where/title/like': ['value'],
      '#/where/title/contains': ['not-null'],
      '#/where/title/in': ['type'],
      '#/where/and': ['type'],
      '#/search': ['type'],
      '#/sort': ['value'],
      '#/limit': ['minimum'],
      '#/offset': ['type'],
      '#/page': ['unknown'],
    });
    for (const other of [[], 'x', 1, null]) {
      assert.deepEqual(violationsOf(await query(api, other)), { '#': ['type'] });
    }
    const repeated = '{"limit":1,"limit":2,"where":{"priority":1,"priority":2}}';
    assert.deepEqual(violationsOf(await api.send('QUERY', collection, repeated)), {
      '#/limit': ['repeated'],
      '#/where/priority': ['repeated'],
    });
    const twice = await queryForm(api, 'limit=1&limit=2&x=1');
    const { errors = [] } = assertProblem(twice, 422, 'unprocessable-query');
    assert.deepEqual(
      errors.map(({ detail }) => detail),
      ['must not be repeated', 'is not a parameter of the list'],
    );
    const form = 'priority.near=1&priority=x&limit=1&limit=2&x=1&where={"priority":"x"}&sort=x';
    assert.deepEqual(violationsOf(await queryForm(api, form)), {
      '#/limit': ['repeated'],
      '#/x': ['unknown'],
      '#/priority.near': ['unknown'],
      '#/priority': ['type'],
      '#/where': ['type'],
      '#/sort': ['value'],
    });
    for (const where of ['', '{', '{"titel":1}', '{"or":[{"titel":1}]}']) {
      const answer = await queryForm(api, `where=${encodeURIComponent(where)}`);
      assert.deepEqual(violationsOf(answer), { '#/where': ['value'] }, where);
    }
    // What curl sends unless it is told otherwise: never the whole list.
    const asForm = await queryForm(api, '{"where":{"priority":1}}');
    assert.deepEqual(violationsOf(asForm), {
      '#/%7B%22where%22%3A%7B%22priority%22%3A1%7D%7D': ['unknown'],
    });
  });

  it('is bounded in depth, in conditions and in operands', async () => {
    const nested = (levels: number) => `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`;
    const deep = (levels: number) => api.send('QUERY', collection, `{"where":${nested(levels)}}`);
    assert.equal((await deep(31)).status, 200);
    assert.deepEqual(violationsOf(await deep(32)), { '#': ['max-depth'] });
    const leaves = (count: number) => ({ or: Array.from({ length: count }, () => ({ id: 1 })) });
    assert.equal((await query(api, { where: leaves(100) })).status, 200);
    assert.deepEqual(violationsOf(await query(api, { where: leaves(101) })), {
      '#/where': ['max-items'],
    });
    const wheres = (count: number) => queryForm(api, 'where={}&'.repeat(count));
    assert.equal((await wheres(100)).status, 200);
    assert.deepEqual(violationsOf(await wheres(101)), { '#/where': ['max-items'] });
    const form = (filters: number) => queryForm(api, 'id=1&'.repeat(filters));
    assert.equal((await form(512)).status, 200);
    assert.deepEqual(violationsOf(await form(513)), { '#/id': ['max-items'] });
    const get = await api.client.get(`${collection}?${'id=1&'.repeat(513)}`);
    assertProblem(get, 400, 'invalid-parameter');
    const operands = (length: number) => ({ id: { in: Array.from({ length }, (_, i) => i) } });
    assert.equal((await query(api, { where: operands(1000) })).status, 200);
    assert.deepEqual(violationsOf(await query(api, { where: operands(1001) })), {
      '#/where': ['max-items'],
    });
  });

  it('is for no other path', async () => {
    for (const path of [api.itemPath(1), api.eventsPath, '/livez', '/']) {
      assertProblem(await api.send('QUERY', path, '{}'), 405, 'method-not-allowed');
    }
  });
});

describeApi('where in a query string', 'QUERY, where, DELETE by condition', (api) => {
  const word = uniqueWord();
  const { collection } = api;
  before(async () => {
    for (const priority of [1, 2, 3]) await api.create({ title: word, priority });
  });
  const target = (...conditions: readonly unknown[]) => {
    const where = conditions.map((each) => `where=${encodeURIComponent(JSON.stringify(each))}`);
    return `${collection}?search=${word}&${where.join('&')}`;
  };

  it('holds beside filters, search and other conditions', async () => {
    const answer = await api.client.get(`${target({ priority: { gt: 1 } })}&priority.lt=3`);
    assert.deepEqual(
      answer.json<{ priority: number }[]>().map(({ priority }) => priority),
      [2],
    );
    const both = await api.client.get(target({ priority: { gt: 1 } }, { priority: { lt: 3 } }));
    assert.equal(both.text, answer.text);
    const head = await api.client.request('HEAD', target({}));
    assert.equal(head.status, 200);
  });

  it('is refused if it is not a condition', async () => {
    for (const [text, detail] of [
      ['', /^where is empty; it must be a condition as JSON/],
      ['%20', /^where is empty/],
      ['%7B', /^where is not JSON/],
      ['[]', /^where must be an object/],
      ['%7B%22or%22:[%7B%22priority%22:%22x%22%7D]%7D', /^where at #\/or\/0\/priority must be an/],
    ] as const) {
      const answer = await api.client.get(`${collection}?where=${text}`);
      assert.match(assertProblem(answer, 400, 'invalid-parameter').detail, detail);
    }
  });
});
