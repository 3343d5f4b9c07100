import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem, describeApi, uniqueWord } from './suite.ts';

describeApi('filters on the list', 'Filters', (api) => {
  // `test/unit/service/items/list-model.test.ts` compares random conditions with a model.
  it('take several texts in as many parameters, because a text may have commas', async () => {
    const word = await api.createAll(1);
    const other = uniqueWord();
    assert.deepEqual(await api.list(`?title.in=${word},${other}`), []);
    assert.equal((await api.list(`?title.in=${other}&title.in=${word}`)).length, 1);
  });

  it('take several numbers by commas, by repetition, and by both', async () => {
    const word = await api.createAll(1, 2, 3, 4);
    const found = async (query: string) =>
      (await api.list(`?search=${word}&${query}`)).map(({ priority }) => priority);
    for (const query of ['priority.in=1,2,3', 'priority.in=1,2&priority.in=3']) {
      assert.deepEqual(await found(query), [1, 2, 3], query);
      assert.deepEqual(await found(query.replaceAll('.in', '.notIn')), [4], query);
    }
  });

  it('accept values that no item can have, and find nothing', async () => {
    for (const query of ['priority.gte=9', 'priority.lt=-2147483648', 'priority=-0', 'id=0']) {
      assert.deepEqual(await api.list(`?${query}`), [], query);
    }
  });

  if ('createdAt' in api.variant.fields) {
    it('take a date-time with minutes, and a date alone with gte and lt', async () => {
      for (const value of ['1999-02-30', '1999-12-31T23', '']) {
        const answer = await api.client.get(`${api.collection}?createdAt.lt=${value}`);
        const { detail } = assertProblem(answer, 400, 'invalid-parameter');
        assert.match(
          detail,
          /such as 2026-11-20T09:30 .*, of the zone of the service, or with Z or /,
        );
      }
      for (const query of [
        ...['createdAt=', 'createdAt.eq=', 'createdAt.ne=', 'createdAt.gt=', 'createdAt.lte='],
        ...['createdAt.in=2026-11-25T10:00,', 'createdAt.notIn='],
      ]) {
        const answer = await api.client.get(`${api.collection}?${query}2026-12-31`);
        const { detail } = assertProblem(answer, 400, 'invalid-parameter');
        assert(detail.includes('createdAt.gte=2026-12-31&createdAt.lt=2027-01-01'), detail);
      }
      for (const condition of ['"2026-02-28"', '{"gt":"2026-02-28"}', '{"in":["2026-02-28"]}']) {
        const where = encodeURIComponent(`{"createdAt":${condition}}`);
        const answer = await api.client.get(`${api.collection}?where=${where}`);
        const { detail } = assertProblem(answer, 400, 'invalid-parameter');
        assert(detail.startsWith('where at #/createdAt'), detail);
        assert(detail.includes('createdAt.gte=2026-02-28&createdAt.lt=2026-03-01'), detail);
      }
      const last = await api.client.get(`${api.collection}?createdAt=9999-12-31`);
      const { detail } = assertProblem(last, 400, 'invalid-parameter');
      assert.match(detail, /use createdAt\.gte=9999-12-31$/);
    });
  }

  for (const query of [
    ...['priority=x', 'priority=', 'priority=3.0', 'priority=2147483648', 'priority.in=1,,2'],
    ...['priority.in=1,x', 'completed=', 'completed=TRUE', 'completed.gt=false'],
    ...['priority.contains=3', 'priority.isNull=true', 'title.isNull=true', 'title.foo=x'],
    ...['title.between=a', 'title.EQ=x', 'id=9223372036854775808'],
  ]) {
    it(`reject ${query}, and state the allowed values`, async () => {
      const answer = await api.client.get(`${api.collection}?${query}`);
      const { detail } = assertProblem(answer, 400, 'invalid-parameter');
      const [parameter = ''] = query.split('=');
      assert(detail.includes(parameter), `${detail} does not name ${parameter}`);
    });
  }
});

describeApi('unknown parameters', 'Names', (api) => {
  const detailOf = async (method: string, name: string, path = api.collection) => {
    const target = `${path}?${encodeURIComponent(name)}=1`;
    const answer = await api.client.request(method, target);
    return assertProblem(answer, 400, 'invalid-parameter').detail;
  };

  for (const [name, suggestion] of [
    ['priority_gte', 'priority.gte'],
    ['Priority-GTE', 'priority.gte'],
    ['priority[gte]', 'priority.gte'],
    ['priority[$gte]', 'priority.gte'],
    ['priority__gte', 'priority.gte'],
    ['prioritty.gte', 'priority.gte'],
    ['title.contain', 'title.contains'],
    ['title.StartsWith', 'title.startsWith'],
    ['serach', 'search'],
    ['is_done', 'completed'],
    ['Completed', 'completed'],
  ] as const) {
    it(`are 400, such as ${name}, and the detail suggests ${suggestion}`, async () => {
      const expected = `"${name}" is not a parameter; did you mean ${suggestion}?`;
      for (const method of ['GET', 'DELETE', 'PATCH']) {
        assert.equal(await detailOf(method, name), expected);
      }
      const target = `${api.collection}?${encodeURIComponent(name)}`;
      assert.equal((await api.client.request('HEAD', target)).status, 400);
    });
  }

  it('are refused with a list of the parameters if no name is near', async () => {
    assert.match(await detailOf('GET', '_limit'), /; did you mean limit\?$/);
    const fields = Object.keys(api.variant.fields).join(', ');
    for (const name of ['foo', 'expand', 'toString.eq', '__proto__']) {
      const start = `"${name}" is not a parameter; the parameters are`;
      const ofList = await detailOf('GET', name);
      assert.equal(ofList, `${start} sort, limit, offset, search, where, ${fields}`);
      for (const method of ['DELETE', 'PATCH']) {
        assert.equal(await detailOf(method, name), `${start} search, where, ${fields}`);
      }
    }
  });

  it('are refused with the cure for a few usual words of other services', async () => {
    const pages = '; use limit and offset, such as limit=20&offset=40';
    for (const [cure, ...names] of [
      ['; use sort, such as sort=-title', '_sort', '_order', 'order', 'sortBy', 'order_by'],
      [pages, '_page', 'page', 'per_page', '_per_page', '_start', '_end', 'skip', '$skip'],
      [pages, 'range', 'pageNumber', 'page[size]', 'after', 'cursor', 'PageIndex'],
      ['; use search', 'q', '_q', 'query'],
      ['; use search, or a filter such as title.containsIgnoreCase=milk', 'filter', '$filter'],
      ['; did you mean title.containsIgnoreCase?', 'title_like', 'title.like', 'title__ilike'],
    ] as const) {
      for (const name of names) {
        assert.equal(await detailOf('GET', name), `"${name}" is not a parameter${cure}`);
      }
    }
    assert.match(await detailOf('DELETE', 'q'), /; use search$/);
    for (const name of ['_sort', '_order', 'page', '_start']) {
      assert.doesNotMatch(await detailOf('PATCH', name), /use sort|limit/);
    }
  });

  it('are refused with the filters of a field if they begin with it, and no name is near', async () => {
    const operators = ['eq', 'ne', 'in', 'notIn'].map((each) => `completed.${each}`).join(', ');
    for (const name of ['completed.foo', 'completed_like', 'completed[]', 'completed>']) {
      const expected = `"${name}" is not a parameter; the parameters are ${operators}`;
      assert.equal(await detailOf('GET', name), expected);
    }
    assert.match(await detailOf('GET', 'title_foo'), /title\.contains, title\.containsIgnoreCase/);
  });

  it('are accepted if the name is _', async () => {
    assert.equal((await api.client.get(`${api.collection}?_=1732&limit=1`)).status, 200);
    const nothing = `${api.collection}?_=1732&search=${uniqueWord()}`;
    assert.equal((await api.client.delete(nothing)).text, '{"deleted":0}');
    assert.equal((await api.client.request('HEAD', `${api.eventsPath}?_=1732`)).status, 200);
  });

  it('are 400 on the events, which take lastEventId alone', async () => {
    const head = await api.client.request('HEAD', `${api.eventsPath}?completed=true`);
    assert.equal(head.status, 400);
    for (const [name, hint] of [
      ['completed', '; the parameter is lastEventId'],
      ['search', '; the parameter is lastEventId'],
      ['lasteventid', '; did you mean lastEventId?'],
    ]) {
      const detail = await detailOf('GET', `${name}`, api.eventsPath);
      assert.equal(detail, `"${name}" is not a parameter${hint}`);
    }
    const repeated = await api.client.get(`${api.eventsPath}?lastEventId=x&lastEventId=y`);
    const { detail } = assertProblem(repeated, 400, 'invalid-parameter');
    assert.equal(detail, 'lastEventId must not be repeated');
  });
});
