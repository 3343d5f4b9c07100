import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Answer } from '../support/requests.ts';
import { assertProblem, describeApi, uniqueWord } from './suite.ts';

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
  const countOf = (answer: Answer) => answer.json<readonly unknown[]>().length;

  before(async () => {
    for (let i = 0; i < ITEMS; i++) await api.create({ title: word, priority: 1 + (i % 5) });
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

  it('accept any number of decimal digits', async () => {
    const many = '9'.repeat(60);
    const whole = `?${mine}&limit=${Number.MAX_SAFE_INTEGER}&offset=0`;
    const huge = await page(`${mine}&limit=${many}`);
    assert.equal(countOf(huge), ITEMS);
    assert.deepEqual(linksOf(huge), { first: whole, last: whole });
    assert.equal(countOf(await page(`${mine}&limit=${'0'.repeat(60)}2`)), 2);
    assert.deepEqual((await page(`${mine}&offset=${many}`)).json(), []);
    assert.deepEqual((await page(`${mine}&offset=${many}&limit=${many}`)).json(), []);
  });

  it('have the number of all items, also without any of them', async () => {
    for (const query of ['limit=0', 'limit=3', `offset=${ITEMS + 7}`]) {
      const first = await page(`${mine}&${query}`);
      assert.equal(first.headers['x-total-count'], `${ITEMS}`, query);
      const again = await page(`${mine}&${query}`);
      assert.equal(again.headers['x-total-count'], `${ITEMS}`, `${query}, again`);
      assert.equal(again.headers.link, first.headers.link);
    }
    assert.deepEqual(linksOf(await page(`${mine}&limit=0`)), {});
  });

  it('lead back to the last one from beyond the end', async () => {
    const { prev, last, next } = linksOf(await page(`${mine}&limit=10&offset=40`));
    assert.deepEqual([prev, last, next], [`?${mine}&limit=10&offset=20`, prev, undefined]);
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
