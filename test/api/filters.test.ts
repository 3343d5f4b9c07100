import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Todo } from '../support/requests.ts';
import { type Api, assertProblem, describeApi, uniqueWord } from './suite.ts';

/** The items of one suite, marked by a word in their titles. */
class Items {
  readonly word = uniqueWord();
  readonly all: Todo[] = [];
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  async create(): Promise<void> {
    const none = this.#api.isDescriptionNullable ? null : '';
    for (const [title, description, completed, priority] of [
      ['Buy milk', 'two litres', false, 1],
      ['buy MILK', 'Two Litres', true, 2],
      ['100 % milk', '', false, 3],
      ['100_milk', 'x', true, 4],
      ['', 'Straße', false, 5],
      ['Z', none, true, 3],
      ['back\\slash, comma', none, false, 4],
    ] as const) {
      const body = { title: `${this.word} ${title}`, description, priority };
      const { id } = (await this.#api.client.post(this.#api.collection, body)).json();
      const done = await this.#api.client.put(this.#api.itemPath(id), { completed });
      this.all.push(done.json());
    }
  }

  /** The items of this test that a query finds, in the order of the response. */
  async found(query: string): Promise<Todo[]> {
    return this.#api.list(`?title.contains=${this.word}&${query}`);
  }

  /** Asserts that a query finds exactly the items for which a function returns true. */
  async check(query: string, isWanted: (todo: Todo) => boolean): Promise<void> {
    const titles = (todos: readonly Todo[]) => todos.map(({ title }) => title);
    assert.deepEqual(titles(await this.found(query)), titles(this.all.filter(isWanted)), query);
  }
}

describeApi('filters on the list', 'Filters', (api) => {
  const items = new Items(api);
  const { word } = items;
  before(() => items.create());
  const title = (text: string) => encodeURIComponent(`${word} ${text}`);

  it('compare booleans', async () => {
    await items.check('completed=false', ({ completed }) => !completed);
    await items.check('completed.eq=true', ({ completed }) => completed);
    await items.check('completed.ne=true', ({ completed }) => !completed);
    await items.check('completed.in=true,false', () => true);
    await items.check('completed.notIn=true', ({ completed }) => !completed);
  });

  it('compare numbers', async () => {
    await items.check('priority=3', ({ priority }) => priority === 3);
    await items.check('priority.eq=3', ({ priority }) => priority === 3);
    await items.check('priority.ne=3', ({ priority }) => priority !== 3);
    await items.check('priority.gt=3', ({ priority }) => priority > 3);
    await items.check('priority.gte=4', ({ priority }) => priority >= 4);
    await items.check('priority.lt=3', ({ priority }) => priority < 3);
    await items.check('priority.lte=2', ({ priority }) => priority <= 2);
    await items.check('priority.in=1,5', ({ priority }) => [1, 5].includes(priority));
    await items.check('priority.notIn=1,5', ({ priority }) => ![1, 5].includes(priority));
  });

  it('compare ids', async () => {
    const [first = 0, , third = 0, , fifth = 0] = items.all.map(({ id }) => id);
    await items.check(`id=${first}`, ({ id }) => id === first);
    await items.check(`id.in=${third},${first}`, ({ id }) => id === first || id === third);
    await items.check(`id.gt=${third}&id.lte=${fifth}`, ({ id }) => id > third && id <= fifth);
  });

  it('compare texts', async () => {
    await items.check(`title=${title('Buy milk')}`, (todo) => todo.title === `${word} Buy milk`);
    await items.check(`title.ne=${title('Z')}`, (todo) => todo.title !== `${word} Z`);
    await items.check('title.contains=milk', (todo) => todo.title.includes('milk'));
    await items.check('title.containsIgnoreCase=MILK', (todo) => /milk/i.test(todo.title));
    await items.check(
      'description.containsIgnoreCase=STRASSE',
      (todo) => todo.description === 'Straße',
    );
    await items.check(`title.startsWith=${title('B')}`, (todo) =>
      todo.title.startsWith(`${word} B`),
    );
    await items.check('title.endsWith=milk', (todo) => todo.title.endsWith('milk'));
    await items.check('title.contains=%25', (todo) => todo.title.includes('%'));
    await items.check('title.contains=_', (todo) => todo.title.includes('_'));
    await items.check('title.contains=\\', (todo) => todo.title.includes('\\'));
    await items.check(`title.gte=${title('Z')}`, (todo) => todo.title >= `${word} Z`);
    await items.check('description=', (todo) => todo.description === '');
    await items.check(`title.in=${title('back\\slash, comma')}`, ({ title }) =>
      title.includes(','),
    );
    await items.check(`title.in=${title('Z')}&title.in=${title('Buy milk')}`, (todo) =>
      [`${word} Z`, `${word} Buy milk`].includes(todo.title),
    );
  });

  it('never match null', async () => {
    const isNull = ({ description }: Todo) => description === null;
    await items.check('description.ne=x', (todo) => !isNull(todo) && todo.description !== 'x');
    await items.check('description.notIn=x', (todo) => !isNull(todo) && todo.description !== 'x');
    await items.check('description.lt=zzz', (todo) => !isNull(todo));
  });

  if (api.isDescriptionNullable) {
    it('find null by isNull', async () => {
      const isNull = ({ description }: Todo) => description === null;
      await items.check('description.isNull=true', isNull);
      await items.check('description.isNull=false', (todo) => !isNull(todo));
      await items.check('description.isNotNull=true', (todo) => !isNull(todo));
      await items.check('description.isNotNull=false', isNull);
    });
  }

  it('are all applied, together with search', async () => {
    await items.check(
      'completed=false&priority.gte=3',
      ({ completed, priority }) => !completed && priority >= 3,
    );
    await items.check('priority.gte=2&priority.gte=4', ({ priority }) => priority >= 4);
    await items.check('priority=1&priority=2', () => false);
    await items.check('search=LITRES&completed=true', ({ priority }) => priority === 2);
    await items.check('search=%20&priority=1', ({ priority }) => priority === 1);
  });

  it('accept values that no item can have, and find nothing', async () => {
    await items.check('priority.gte=9', () => false);
    await items.check('priority.lt=-2147483648', () => false);
    await items.check('priority=-0', () => false);
    await items.check('id=0', () => false);
  });

  it('combine with sorting and paging', async () => {
    const found = await items.found('completed=false&sort=-priority,title&limit=2&offset=1');
    assert.deepEqual(
      found.map(({ priority }) => priority),
      [4, 3],
    );
  });

  it('compare date-times with moments', async () => {
    const [first] = items.all;
    assert(first);
    const { createdAt } = first;
    if (createdAt === undefined) {
      const answer = await api.client.get(`${api.collection}?createdAt.lt=2026-11-25`);
      assertProblem(answer, 400, 'invalid-parameter');
      return;
    }
    // Minutes and seconds are zero if they are left out.
    for (const length of [16, 19, 23]) {
      const text = createdAt.slice(0, length);
      const moment = `${text}${':00.000'.slice(length - 16)}`;
      await items.check(`createdAt=${text}`, (todo) => todo.createdAt === moment);
      await items.check(`createdAt.ne=${text}`, (todo) => todo.createdAt !== moment);
      await items.check(`createdAt.in=${text},${text}`, (todo) => todo.createdAt === moment);
      await items.check(`createdAt.gt=${text}`, (todo) => String(todo.createdAt) > moment);
      await items.check(`createdAt.lte=${text}`, (todo) => String(todo.createdAt) <= moment);
      const where = encodeURIComponent(`{"createdAt":{"gt":"${text}"}}`);
      await items.check(`where=${where}`, (todo) => String(todo.createdAt) > moment);
    }
    await items.check('createdAt.gte=1999-12-31T23:59+02:00', () => true);
    await items.check('createdAt.gt=1999-12-31T23:59Z', () => true);
    for (const value of ['1999-02-30', '1999-12-31T23', '']) {
      const answer = await api.client.get(`${api.collection}?createdAt.lt=${value}`);
      const { detail } = assertProblem(answer, 400, 'invalid-parameter');
      assert.match(
        detail,
        /such as 2026-11-20T09:30 .*, of the zone of the service, or with Z or /,
      );
    }
  });

  if ('createdAt' in api.variant.fields) {
    it('take a date alone as its midnight with gte and lt, and are 400 with the pair elsewhere', async () => {
      const [today = ''] = items.all.map(({ createdAt }) => createdAt?.slice(0, 10));
      const isToday = ({ createdAt }: Todo) => createdAt?.startsWith(today) === true;
      await items.check('createdAt.lt=1999-12-31', () => false);
      await items.check(`createdAt.gte=${today}`, isToday);
      await items.check(`createdAt.lt=${today}`, () => false);
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
    'priority=x',
    'priority=',
    'priority=3.0',
    'priority=2147483648',
    'priority.in=1,,2',
    'priority.in=1,x',
    'completed=',
    'completed=TRUE',
    'completed.gt=false',
    'priority.contains=3',
    'priority.isNull=true',
    'title.isNull=true',
    'title.foo=x',
    'title.between=a',
    'title.EQ=x',
    'id=9223372036854775808',
  ]) {
    it(`reject ${query}, and state the allowed values`, async () => {
      const answer = await api.client.get(`${api.collection}?${query}`);
      const { detail } = assertProblem(answer, 400, 'invalid-parameter');
      const [parameter = ''] = query.split('=');
      assert(detail.includes(parameter), `${detail} does not name ${parameter}`);
    });
  }

  it('are up to 500, of which id.in is one', async () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => i).join();
    assert.equal((await api.client.get(`${api.collection}?id.in=${ids}`)).status, 200);
    const same = Array(499).fill('priority.gte=1').join('&');
    await items.check(same, () => true);
    const answer = await api.client.get(`${api.collection}?${same}&id=1&id=2`);
    const { detail } = assertProblem(answer, 400, 'invalid-parameter');
    assert.equal(detail, 'A request has at most 500 comparisons, not 501');
  });
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
    for (const name of ['q', 'page', '_page', 'foo', 'toString.eq', '__proto__']) {
      const start = `"${name}" is not a parameter; the parameters are`;
      const ofList = await detailOf('GET', name);
      assert.equal(ofList, `${start} sort, limit, offset, search, where, ${fields}`);
      for (const method of ['DELETE', 'PATCH']) {
        assert.equal(await detailOf(method, name), `${start} search, where, ${fields}`);
      }
    }
  });

  it('are refused with the filters of a field if they begin with it, and no name is near', async () => {
    const operators = ['eq', 'ne', 'in', 'notIn'].map((each) => `completed.${each}`).join(', ');
    for (const name of ['completed.foo', 'completed_like', 'completed[]', 'completed>']) {
      const expected = `"${name}" is not a parameter; the parameters are ${operators}`;
      assert.equal(await detailOf('GET', name), expected);
    }
    assert.match(await detailOf('GET', 'title_like'), /title\.contains, title\.containsIgnoreCase/);
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
