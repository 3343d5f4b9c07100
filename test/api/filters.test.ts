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

  it('compare date-times, which may be shortened', async () => {
    const [first] = items.all;
    assert(first);
    const { createdAt } = first;
    if (createdAt === undefined) {
      const answer = await api.client.get(`${api.collection}?createdAt.lt=2026-11-25`);
      assertProblem(answer, 400, 'invalid-parameter');
      return;
    }
    await items.check('createdAt.lt=1999-12-31', () => false);
    await items.check('createdAt.gte=1999-12-31T23:59Z', () => true);
    await items.check(`createdAt.lt=${createdAt.slice(0, 10)}`, () => false);
    // A day, a minute and a second mean the whole of it.
    for (const length of [10, 16, 19, 23]) {
      const text = createdAt.slice(0, length);
      const isWithin = (todo: Todo) => todo.createdAt?.startsWith(text) === true;
      const isLater = (todo: Todo) => String(todo.createdAt) > text && !isWithin(todo);
      await items.check(`createdAt=${text}`, isWithin);
      await items.check(`createdAt.in=${text},1999-12-31`, isWithin);
      await items.check(`createdAt.ne=${text}`, (todo) => !isWithin(todo));
      await items.check(`createdAt.notIn=${text},${text}`, (todo) => !isWithin(todo));
      await items.check(`createdAt.gt=${text}`, isLater);
      await items.check(`createdAt.lte=${text}`, (todo) => !isLater(todo));
      await items.check(`where={"createdAt":{"gt":"${text}"}}`, isLater);
    }
    await items.check('createdAt.gte=1999-12-31T23:59+02:00', () => true);
    for (const value of ['1999-02-30', '']) {
      const answer = await api.client.get(`${api.collection}?createdAt.lt=${value}`);
      const { detail } = assertProblem(answer, 400, 'invalid-parameter');
      assert.match(detail, /such as 2026-11-20, .*, of the zone of the service, or with Z or /);
    }
  });

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
    assert.match(assertProblem(answer, 400, 'invalid-parameter').detail, /at most 500$/);
  });
});

describeApi('unknown parameters', 'Filters', (api) => {
  const IGNORE = 'STRICT_QUERY=off ignores unknown parameters';
  const detailOf = async (method: string, name: string, path = api.collection) => {
    const target = `${path}?${encodeURIComponent(name)}=1`;
    const answer = await api.client.request(method, target);
    return assertProblem(answer, 400, 'invalid-parameter').detail;
  };

  for (const [name, suggestion] of [
    ['id[]', 'id.in'],
    ['is_done', 'completed'],
    ['_page', 'limit or offset'],
    ['title_like', 'title.contains, title.startsWith or title.endsWith'],
  ] as const) {
    it(`are 400, such as ${name}, and the detail suggests ${suggestion}`, async () => {
      const start = `"${name}" is not a parameter; did you mean ${suggestion}?`;
      assert.equal(await detailOf('GET', name), `${start} ${IGNORE}`);
      const head = await api.client.request(
        'HEAD',
        `${api.collection}?${encodeURIComponent(name)}`,
      );
      assert.equal(head.status, 400);
      const isOption = /^(sort|limit)/.test(suggestion);
      if (!isOption) assert.equal(await detailOf('DELETE', name), start);
    });
  }

  it('are refused with a list of parameters if no name is close', async () => {
    const fields = Object.keys(api.variant.fields).join(', ');
    const known = `the parameters are search, where, ${fields}`;
    assert.equal(await detailOf('DELETE', 'page'), `"page" is not a parameter; ${known}`);
    for (const name of ['foo', 'toString.eq', '__proto__']) {
      const start = `"${name}" is not a parameter; the parameters are`;
      const ofList = await detailOf('GET', name);
      assert.equal(ofList, `${start} sort, limit, offset, search, where, ${fields}; ${IGNORE}`);
      for (const method of ['DELETE', 'PATCH']) {
        assert.equal(await detailOf(method, name), `${start} search, where, ${fields}`);
      }
    }
  });

  it('are refused with the operators of the field if it lacks the operator', async () => {
    const operators = 'eq, ne, gt, gte, lt, lte, in, notIn';
    const more = 'contains, containsIgnoreCase, startsWith, endsWith';
    for (const [name, hint] of [
      ['title.foo', ''],
      ['title.StartsWith', '; did you mean title.startsWith?'],
      ['title.like', '; did you mean title.contains, title.startsWith or title.endsWith?'],
    ]) {
      const start = `"${name}" is not a filter; the operators of title are ${operators}, ${more}`;
      assert.equal(await detailOf('GET', `${name}`), start + hint);
    }
    assert.match(await detailOf('GET', 'priority.in[]'), /; did you mean priority.in\?$/);
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
      ['completed', '; the parameter is lastEventId;'],
      ['search', '; the parameter is lastEventId;'],
      ['lasteventid', '; did you mean lastEventId?'],
    ]) {
      const detail = await detailOf('GET', `${name}`, api.eventsPath);
      assert.equal(detail, `"${name}" is not a parameter${hint} ${IGNORE}`);
    }
    const repeated = await api.client.get(`${api.eventsPath}?lastEventId=x&lastEventId=y`);
    const { detail } = assertProblem(repeated, 400, 'invalid-parameter');
    assert.equal(detail, 'lastEventId must not be repeated');
  });
});
