import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../support/requests.ts';
import { assertProblem, describeApi, uniqueWord } from './suite.ts';

describeApi('where', 'Conditions', (api) => {
  const word = uniqueWord();
  const { collection } = api;
  /** The first integer beyond the ids. */
  const ID_END = api.variant.name === 'a' ? 2n ** 31n : 2n ** 63n;

  const get = (...conditions: readonly unknown[]): Promise<Answer> => {
    const texts = conditions.map((each) =>
      typeof each === 'string' ? each : JSON.stringify(each),
    );
    const query = texts.map((text) => `where=${encodeURIComponent(text)}`).join('&');
    return api.client.get(`${collection}?search=${word}&${query}`);
  };
  const detailOf = async (...conditions: readonly unknown[]) =>
    assertProblem(await get(...conditions), 400, 'invalid-parameter').detail;

  // `test/unit/service/items/list-model.test.ts` compares random conditions with a model.
  it('is 400 with the place if it is not a condition', async () => {
    for (const [where, detail] of [
      ['', /^where is empty; it must be a condition as JSON/],
      [' ', /^where is empty/],
      ['{', /^where is not JSON/],
      [[], /^where must be an object/],
      [{ or: [{ priority: 'x' }] }, /^where at #\/or\/0\/priority must be an integer/],
      [{ priority: 2 ** 31 }, /^where at #\/priority must be at most 2147483647/],
      [`{"id":{"lt":${ID_END}}}`, /^where at #\/id\/lt must be (an integer|at most)/],
      [`{"id":${-ID_END - 1n}}`, /^where at #\/id must be (an integer|at least)/],
      [{ or: [{ completed: null }] }, /^where at #\/or\/0\/completed is never null$/],
      [{ priority: {} }, /^where at #\/priority must have an operator/],
      [{ priority: [1, 2] }, /^where at #\/priority must be a value, or an object of operators/],
      [{ colour: 1 }, /^where at #\/colour is unknown; use id, title, .*, and, or, not$/],
      [{ titel: 1 }, /^where at #\/titel is unknown; did you mean title\?$/],
      [{ done: true }, /did you mean completed\?$/],
      [{ title: { near: 'x' } }, /^where at #\/title\/near is unknown; use eq, ne, /],
      [{ title: { startswith: 'x' } }, /did you mean startsWith\?$/],
      [{ title: { like: 'x' } }, /is unknown; use eq, ne, .*, contains, containsIgnoreCase, /],
      [{ completed: { like: 'x' } }, /is unknown; use eq, ne, in, notIn$/],
      [{ title: { contains: null } }, /^where at #\/title\/contains must not be null/],
      [{ title: { in: 'x' } }, /^where at #\/title\/in must be an array/],
      [{ and: {} }, /^where at #\/and must be an array/],
      ['{"priority":1,"priority":2}', /^where at #\/priority must not be repeated/],
      ['{"id":1e400}', /^where at #\/id must be (an integer|at least)/],
      ['{"id":1e-400}', /^where at #\/id must be (an integer|at least)/],
      ['{"id":2.9999999999999999}', /^where at #\/id must be (an integer|at least)/],
    ] as const) {
      assert.match(await detailOf(where), detail);
    }
  });

  it('is bounded in depth, and with filters in the number of comparisons', async () => {
    const nested = (levels: number) => `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`;
    assert.equal((await get(nested(31))).status, 200);
    assert.match(await detailOf(nested(32)), /nested more than 32/);
    const some = (count: number) => ({ or: Array.from({ length: count }, () => ({ id: 1 })) });
    assert.equal((await get(some(150), some(149))).status, 200);
    const operands = { id: { in: Array.from({ length: 1_500 }, () => 1) } };
    assert.equal((await get(operands)).status, 200);
    const short = (count: number) => `{"not":{"and":[${Array(count).fill('{"id":1}').join()}]}}`;
    const filters = 'id=1&'.repeat(250);
    const target = (count: number) => `${collection}?${filters}where=${encodeURI(short(count))}`;
    assert.equal((await api.client.get(target(250))).status, 200);
    const answer = await api.client.get(target(251));
    const { detail } = assertProblem(answer, 400, 'invalid-parameter');
    assert.equal(detail, 'A request has at most 500 comparisons, not 501');
    if (!api.isDescriptionNullable) return;
    const nulls = (count: number) =>
      JSON.stringify({ or: Array(count).fill({ description: null }) });
    const many = (count: number) =>
      `${collection}?${'id=1&'.repeat(490)}where=${encodeURIComponent(nulls(count))}`;
    assert.equal((await api.client.get(many(10))).status, 200);
    assertProblem(await api.client.get(many(11)), 400, 'invalid-parameter');
  });
});
