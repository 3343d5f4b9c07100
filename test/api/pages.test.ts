import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Answer } from '../support/requests.ts';
import { assertProblem, describeApi, isOwnService, uniqueWord } from './suite.ts';

const ITEMS = 25;

/** The targets of a Link field by relation (RFC 8288). */
function linksOf(answer: Answer): Record<string, string> {
  const field = answer.headers.link;
  if (field === undefined) return {};
  assert.equal(typeof field, 'string', 'one field');
  const links = String(field)
    .split(', ')
    .map((link) => /^<([^>]*)>; rel="(\w+)"$/.exec(link));
  return Object.fromEntries(links.map((match) => [match?.[2], match?.[1]]));
}

describeApi('pages of the list', 'Pages', (api) => {
  const word = uniqueWord();
  const mine = `search=${word}`;
  const page = (query: string) => api.client.get(`${api.collection}?${query}`);
  const titles = (answer: Answer) =>
    answer.json<readonly { title: string }[]>().map(({ title }) => Number(title.split(' ')[1]));

  before(async () => {
    for (let i = 0; i < ITEMS; i++) {
      await api.create({ title: `${word} ${i}`, priority: 1 + (i % 5) });
    }
  });

  it('have the total number of matches, whatever the page', async () => {
    for (const part of ['limit=10', 'limit=1000', 'offset=3', 'limit=3&offset=24', 'limit=0']) {
      const answer = await page(`${mine}&${part}`);
      assert.equal(answer.headers['x-total-count'], String(ITEMS), part);
    }
    const filtered = await page(`${mine}&priority=2&limit=1`);
    assert.equal(filtered.headers['x-total-count'], '5');
    assert.equal((await page('search=nobody%20has%20this&limit=1')).headers['x-total-count'], '0');
  });

  it('have the total without a filter, too', async () => {
    const total = Number((await page('limit=1')).headers['x-total-count']);
    const all = await api.list();
    if (isOwnService()) assert.equal(total, all.length);
    assert(total >= ITEMS);
  });

  it('have neither total nor links unless a page is requested, and no links with limit=0', async () => {
    const { headers } = await page(mine);
    assert.deepEqual([headers['x-total-count'], headers.link], [undefined, undefined]);
    assert.equal((await page(`${mine}&limit=0`)).headers.link, undefined);
  });

  it('link to adjacent pages', async () => {
    const base = `?${mine}&limit=10`;
    assert.deepEqual(linksOf(await page(`${mine}&limit=10`)), {
      first: `${base}&offset=0`,
      next: `${base}&offset=10`,
      last: `${base}&offset=20`,
    });
    assert.deepEqual(linksOf(await page(`${mine}&limit=10&offset=10`)), {
      first: `${base}&offset=0`,
      prev: `${base}&offset=0`,
      next: `${base}&offset=20`,
      last: `${base}&offset=20`,
    });
    assert.deepEqual(linksOf(await page(`${mine}&limit=10&offset=20`)), {
      first: `${base}&offset=0`,
      prev: `${base}&offset=10`,
      last: `${base}&offset=20`,
    });
  });

  it('begin at whole limits from the requested offset, so that next leads to last', async () => {
    assert.deepEqual(linksOf(await page(`${mine}&limit=10&offset=3`)), {
      first: `?${mine}&limit=10&offset=0`,
      prev: `?${mine}&limit=3&offset=0`,
      next: `?${mine}&limit=10&offset=13`,
      last: `?${mine}&limit=10&offset=23`,
    });
    assert.deepEqual(linksOf(await page(`${mine}&limit=10&offset=14`)), {
      first: `?${mine}&limit=10&offset=0`,
      prev: `?${mine}&limit=10&offset=4`,
      next: `?${mine}&limit=10&offset=24`,
      last: `?${mine}&limit=10&offset=24`,
    });
  });

  it('have the last page before them when past the end, at whole limits, too', async () => {
    for (const [offset, last] of [
      [ITEMS, 'limit=10&offset=15'],
      [ITEMS + 1, 'limit=10&offset=16'],
      [100, 'limit=10&offset=20'],
      [103, 'limit=10&offset=23'],
    ]) {
      const answer = await page(`${mine}&limit=10&offset=${offset}`);
      assert.deepEqual(answer.json(), []);
      assert.deepEqual(linksOf(answer), {
        first: `?${mine}&limit=10&offset=0`,
        prev: `?${mine}&${last}`,
        last: `?${mine}&${last}`,
      });
    }
    const one = linksOf(await page(`${mine}&priority=2&limit=10&offset=12`));
    assert.equal(one.last, `?${mine}&priority=2&limit=10&offset=2`);
    const rest = linksOf(await page(`${mine}&priority=2&limit=20&offset=27`));
    assert.equal(rest.prev, `?${mine}&priority=2&limit=7&offset=0`);
  });

  it('without a limit are the requested one, and the items before it', async () => {
    assert.deepEqual(linksOf(await page(`${mine}&offset=3`)), {
      first: `?${mine}&offset=0`,
      prev: `?${mine}&limit=3&offset=0`,
      last: `?${mine}&offset=3`,
    });
    const all = `?${mine}&limit=30&offset=0`;
    const beyond = linksOf(await page(`${mine}&offset=30`));
    assert.deepEqual(beyond, { first: `?${mine}&offset=0`, prev: all, last: all });
    const whole = `?${mine}&offset=0`;
    assert.deepEqual(linksOf(await page(`${mine}&offset=0`)), { first: whole, last: whole });
  });

  it('repeat and miss nothing when links are followed from any offset, in both directions', async () => {
    for (const [offset, limit, sort] of [
      [0, 7, '&sort=-priority,-title'],
      [0, 7, '&sort=title'],
      [0, 7, ''],
      [1, 2, ''],
      [3, 10, ''],
      [24, 25, ''],
      [40, 6, ''],
    ] as const) {
      const query = `${mine}${sort}`;
      const all = titles(await page(query));
      const follow = async (relation: string) => {
        const pages: { target: string; items: number[] }[] = [];
        let target: string | undefined = `?${query}&limit=${limit}&offset=${offset}`;
        while (target !== undefined) {
          const answer: Answer = await api.client.get(`${api.collection}${target}`);
          pages.push({ target, items: titles(answer) });
          target = linksOf(answer)[relation];
        }
        return pages;
      };
      const start = `offset ${offset}, limit ${limit}${sort}`;
      const [, ...before] = await follow('prev');
      const after = await follow('next');
      const items = [...before.reverse(), ...after].flatMap((each) => each.items);
      assert.deepEqual(items, all, start);
      const { last } = linksOf(await page(`${query}&limit=${limit}&offset=${offset}`));
      const end = after.at(-1)?.items.length === 0 ? before.at(-1) : after.at(-1);
      assert.equal(last, end?.target, start);
    }
  });

  it('end with the last item, whether its page is full or not, and begin with the first', async () => {
    const base = `?${mine}&limit=5`;
    assert.deepEqual(linksOf(await page(`${mine}&limit=5&offset=20`)), {
      first: `${base}&offset=0`,
      prev: `${base}&offset=15`,
      last: `${base}&offset=20`,
    });
    const begin = linksOf(await page(`${mine}&limit=5&offset=3`)).prev;
    assert.equal(begin, `?${mine}&limit=3&offset=0`);
    for (const offset of [0, 5]) {
      const none = await page(`search=nobody%20has%20this&limit=5&offset=${offset}`);
      assert.deepEqual(Object.keys(linksOf(none)), ['first', 'last']);
    }
  });

  it('keep all other parameters in their links as sent, but for commas and semicolons', async () => {
    const sent = `sort=-priority,title&_=%41;%20%2B+&search=${word}&priority.gte=2`;
    const kept = `sort=-priority%2Ctitle&_=%41%3B%20%2B+&search=${word}&priority.gte=2`;
    for (const [offset, limit] of [
      ['offset', 'limit'],
      ['%6fffset', 'li%6Dit'],
    ]) {
      const { next } = linksOf(await page(`${sent}&${offset}=5&${limit}=5`));
      assert.equal(next, `?${kept}&limit=5&offset=10`);
    }
  });

  it('have no Link if it would exceed 3 KiB', async () => {
    const paged = (length: number) =>
      page(`${mine}&limit=5&offset=5&title.ne=${'x'.repeat(length)}`);
    const { link = '' } = (await paged(500)).headers;
    const most = 500 + Math.floor((3 * 1024 - link.length) / 4);
    for (const [length, relations] of [
      [most, ['first', 'prev', 'next', 'last']],
      [most + 1, []],
      [7_000, []],
    ] as const) {
      const response = await paged(length);
      assert.equal(response.status, 200);
      assert.notEqual(response.headers['x-total-count'], undefined);
      assert.deepEqual(Object.keys(linksOf(response)), relations);
    }
  });

  it('have the same header fields for HEAD', async () => {
    const target = `${api.collection}?${mine}&limit=10&offset=10`;
    const get = await api.client.get(target);
    const head = await api.client.request('HEAD', target);
    for (const name of ['x-total-count', 'link', 'etag', 'content-type']) {
      assert.equal(head.headers[name], get.headers[name], name);
    }
  });

  it('accept any number of decimal digits', async () => {
    const many = '9'.repeat(60);
    const whole = `?${mine}&limit=${Number.MAX_SAFE_INTEGER}&offset=0`;
    const huge = await page(`${mine}&limit=${many}`);
    assert.equal(titles(huge).length, ITEMS);
    assert.deepEqual(linksOf(huge), { first: whole, last: whole });
    assert.equal(titles(await page(`${mine}&limit=${'0'.repeat(60)}2`)).length, 2);
    assert.deepEqual((await page(`${mine}&offset=${many}`)).json(), []);
    assert.deepEqual((await page(`${mine}&offset=${many}&limit=${many}`)).json(), []);
  });

  it('reject anything else', async () => {
    for (const value of ['', '-1', '1.0', '1e3', '%201', '１']) {
      for (const name of ['limit', 'offset']) {
        const answer = await page(`${mine}&${name}=${encodeURI(value)}`);
        const { detail } = assertProblem(answer, 400, 'invalid-parameter');
        assert(detail.includes(name), detail);
      }
    }
  });
});
