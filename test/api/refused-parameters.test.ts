import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AUTHORIZED, startAdmin } from '../support/admin.ts';
import { VARIANTS } from '../support/service.ts';
import { assertProblem, describeApi, refusedIn, uniqueWord } from './suite.ts';

/** The names of `count` parameters, which no service has. */
const many = (count: number) => Array.from({ length: count }, (_, i) => `zz${i}`);

describeApi('refused parameters', 'Query strings', (api) => {
  const get = (query: string) => api.client.get(`${api.collection}?${query}`);
  const write = (method: string, query: string) =>
    api.send(method, `${api.collection}?${query}`, method === 'PATCH' ? '{"priority":1}' : '');

  it('are all named at once, in the order sent', async () => {
    for (const [query, ...refused] of [
      ['x=1', 'x unknown'],
      [
        'page=2&limit=x&priority.foo=1&sort=nope&_=1&priority=x&q=a',
        ...['page unknown', 'limit value', 'priority.foo operator', 'sort value'],
        ...['priority value', 'q unknown'],
      ],
      ['limit=1&offset=&limit=2', 'offset value', 'limit repeated'],
      ['search=a&search=b&sort=id&sort=x', 'search repeated', 'sort repeated'],
      ['priority_gte=1&completed.gt=true', 'priority_gte unknown', 'completed.gt operator'],
      ['where=x&where={}&where={"and":1}&x', 'where value', 'where value', 'x unknown'],
      ['priority.in=1,x&priority.in=2&priority.in=y', 'priority.in value', 'priority.in value'],
      ['%78%3D=1&%C3%A9', 'x= unknown', 'é unknown'],
      ['x=1&y=2&x=3', 'x unknown', 'y unknown', 'x unknown'],
    ] as const) {
      assert.deepEqual(refusedIn(await get(query)), refused, query);
    }
  });

  it('have a sentence each, and the detail of the problem is the first one', async () => {
    const { errors } = assertProblem(await get('limit=-1&zzz=2'), 400, 'invalid-parameter');
    const [limit, unknown] = errors ?? [];
    assert.deepEqual(limit, {
      parameter: 'limit',
      code: 'value',
      detail: 'limit must be a decimal integer, 0 or more, not "-1"',
    });
    assert.match(unknown?.detail ?? '', /^"zzz" is not a parameter; the parameters are sort, /);
  });

  it('are named by writes of the list, too, which do nothing', async () => {
    const created = await api.create();
    for (const method of ['DELETE', 'PATCH']) {
      for (const [query, ...refused] of [
        ['sort=id&limit=1', 'sort unknown', 'limit unknown'],
        [
          'search=&title=&id.in=&where={}',
          'search value',
          'title value',
          'id.in value',
          'where value',
        ],
        ['where={}&id=1&where={"or":[]}', 'where value', 'where value'],
        ['id=1&x=1&id=2', 'x unknown', 'id conflict'],
      ] as const) {
        assert.deepEqual(refusedIn(await write(method, query)), refused, query);
      }
    }
    assert.equal((await api.client.get(api.itemPath(created.id))).status, 200);
  });

  it('are named on all paths below the list', async () => {
    const { id } = await api.create();
    const body = JSON.stringify({ title: uniqueWord() });
    for (const [method, path] of [
      ['GET', api.itemPath(id)],
      ['PUT', api.itemPath(id)],
      ['DELETE', api.itemPath(id)],
      ['POST', api.collection],
      ['POST', `${api.collection}/batch`],
    ] as const) {
      const content = method === 'GET' || method === 'DELETE' ? '' : body;
      const answer = await api.send(method, `${path}?a=1&_=2&b=3`, content);
      assert.deepEqual(refusedIn(answer), ['a unknown', 'b unknown'], `${method} ${path}`);
    }
    const events = await api.client.get(`${api.eventsPath}?lastEventId=1&lastEventId=2&x`);
    assert.deepEqual(refusedIn(events), ['lastEventId repeated', 'x unknown']);
  });

  it('have no errors if they concern the query as a whole', async () => {
    const { detail, errors } = assertProblem(
      await get(many(501).join('&')),
      400,
      'invalid-parameter',
    );
    assert.equal(detail, 'A query has at most 500 parameters, not 501');
    assert.equal(errors, undefined);
    const required = assertProblem(await write('DELETE', '_=1'), 400, 'condition-required');
    assert.equal(required.errors, undefined);
  });

  it('may be 500, and other paths ignore any number', async () => {
    const all = assertProblem(await get(many(500).join('&')), 400, 'invalid-parameter');
    assert.equal(all.errors?.length, 500);
    assert.equal((await get(`_=1&${'_&'.repeat(499)}`)).status, 200);
    assertProblem(await get('_&'.repeat(501)), 400, 'invalid-parameter');
    assert.equal((await api.client.get(`/livez?${many(800).join('&')}`)).status, 200);
    assertProblem(await api.client.get(`/livez?${many(800).join('&')}&%`), 400, 'malformed-query');
  });
});

describeApi('two values of one field', 'Filters', (api) => {
  const refusalOf = async (query: string) => {
    const answer = await api.client.get(`${api.collection}?${query}`);
    const { errors = [] } = assertProblem(answer, 400, 'invalid-parameter');
    assert.equal(errors.length, 1, query);
    const [{ parameter, code, detail } = { parameter: '', code: '', detail: '' }] = errors;
    assert.equal(code, 'conflict', query);
    return [parameter, detail];
  };

  it('can never hold together, and are 400 at the second', async () => {
    for (const [query, name, use] of [
      ['id=1&id=2', 'id', 'id.in=1,2'],
      ['id.eq=1&id=2', 'id', 'id.in=1,2'],
      ['id=7&priority=1&id.eq=8', 'id.eq', 'id.in=7,8'],
      ['completed=true&completed=false', 'completed', 'completed.in=true,false'],
      ['title=a&title=b', 'title', 'title.in=a&title.in=b'],
      ['title=a,b&title=c%26d', 'title', 'title.in=a%2Cb&title.in=c%26d'],
    ] as const) {
      const detail = `${name} cannot have two values; for either, use ${use}`;
      assert.deepEqual(await refusalOf(query), [name, detail]);
    }
  });

  it('are compared as values; the same value is one more condition', async () => {
    const { id } = await api.create();
    for (const query of [`id=${id}&id=${id}`, `id=${id}&id.eq=${id}&id=${id}`]) {
      assert.equal((await api.list(`?${query}`)).length, 1);
    }
    assert.deepEqual(await api.list(`?id=0&id=-0`), []);
    assert.deepEqual(await api.list(`?id=${id}&id.ne=${id}`), []);
    const where = encodeURIComponent(`{"id":${id}}`);
    assert.deepEqual(await api.list(`?id=0&where=${where}`), []);
  });
});

describeApi('X-Total-Count', 'Pages', (api) => {
  it('is the number of items that match, with every list', async () => {
    const word = await api.createAll(1, 2, 3);
    for (const [query, total] of [
      [`search=${word}`, 3],
      [`search=${word}&priority.gte=2`, 2],
      [`search=${word}&sort=-priority`, 3],
      [`search=${word}&limit=1&offset=1`, 3],
      [`search=${word}&id=0`, 0],
    ] as const) {
      for (const method of ['GET', 'HEAD']) {
        const { headers } = await api.client.request(method, `${api.collection}?${query}`);
        assert.equal(headers['x-total-count'], String(total), `${method} ${query}`);
        assert.equal(headers.link === undefined, !query.includes('limit'), query);
      }
    }
  });

  it('comes with the whole list, also with one that is sent again, but not with 304', async () => {
    await api.createAll(1);
    for (let times = 0; times < 2; times++) {
      const answer = await api.client.get(api.collection);
      const { length } = answer.json<readonly object[]>();
      assert.equal(answer.headers['x-total-count'], String(length));
      assert.equal(answer.headers.link, undefined);
      const etag = String(answer.headers.etag);
      const again = await api.client.get(api.collection, { 'if-none-match': etag });
      if (again.status === 304) assert.equal(again.headers['x-total-count'], undefined);
    }
  });
});

for (const variant of VARIANTS) {
  it(`all refused parameters of the journal are named, variant ${variant.name}`, async (test) => {
    const { client } = await startAdmin(test, variant);
    const query = 'status=x&nope=1&header=a&waitMs=1&waitMs=2&header=A:%201&header=a:%202';
    const answer = await client.get(`/admin/requests?${query}`, AUTHORIZED);
    assert.deepEqual(refusedIn(answer), [
      ...['status value', 'nope unknown', 'header value', 'waitMs repeated', 'header value'],
    ]);
    const two = await client.get('/admin/requests?header=a:%201&header=b:%202', AUTHORIZED);
    assert.equal(two.status, 200, two.text);
  });
}
