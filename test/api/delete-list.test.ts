import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../support/requests.ts';
import { assertProblem, describeApi, isOwnService } from './suite.ts';

function assertDeleted(answer: Answer, deleted: number): void {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.equal(answer.text, JSON.stringify({ deleted }));
}

describeApi('DELETE of the list', 'Several items at once', (api) => {
  const { collection } = api;
  const left = async (word: string) =>
    (await api.list(`?search=${word}`)).map(({ priority }) => priority);

  it('deletes the items that match all conditions', async () => {
    const word = await api.createAll(1, 2, 3, 4, 5);
    const remove = (query: string) => api.client.delete(`${collection}?search=${word}&${query}`);
    assertDeleted(await remove('priority.in=1,2&priority=2'), 1);
    assert.deepEqual(await left(word), [1, 3, 4, 5]);
    const where = encodeURIComponent('{"or":[{"priority":1},{"priority":{"gt":4}}]}');
    assertDeleted(await remove(`where=${where}`), 2);
    assert.deepEqual(await left(word), [3, 4]);
    assertDeleted(await remove('priority=1'), 0);
    assertDeleted(await api.client.delete(`${collection}?search=${word}`), 2);
    assert.deepEqual(await left(word), []);
  });

  it('needs a condition, which where={} is not', async () => {
    for (const query of ['', '?', '?&', '?_=1', '?where={}', '?where=%7B%20%7D&_=1&where={}']) {
      const answer = await api.client.delete(collection + query);
      const { detail } = assertProblem(answer, 400, 'condition-required');
      assert.match(detail, /; id\.gte=1 is every item$/);
    }
  });

  it('refuses everything that it does not understand', async () => {
    const word = await api.createAll(1);
    for (const query of [
      ...['sort=id', 'limit=1', 'offset=0', 'x=1', 'priorty=1', 'priority.near=1', 'priority=x'],
      ...[`search=${word}`, 'where=', 'where={', 'where=%20', 'where=[]'],
      'where={"priority":0.99999999999999999}',
    ]) {
      const answer = await api.client.delete(`${collection}?search=${word}&${query}`);
      assertProblem(answer, 400, 'invalid-parameter');
    }
    for (const [query, detail] of [
      ['search=a&search=b', 'search must not be repeated'],
      ['search=a&x=1', '"x" is not a parameter; the parameters are search, where, id, '],
      ['search=a&limit=1', '"limit" is not a parameter; the parameters are search, where, id, '],
    ] as const) {
      const answer = await api.client.delete(`${collection}?${query}`);
      assert(assertProblem(answer, 400, 'invalid-parameter').detail.startsWith(detail));
    }
    for (const content of ['{}', '1']) {
      const answer = await api.send('DELETE', `${collection}?search=${word}`, content);
      assertProblem(answer, 400, 'malformed-request');
    }
    assert.deepEqual(await left(word), [1]);
  });

  it('refuses blank filters and a blank search', async () => {
    const word = await api.createAll(1);
    for (const [filter, column] of [
      ['title', 'title'],
      ['title.ne', 'title'],
      ['description.notIn', 'description'],
      ['title.in=x&title.in', 'title'],
    ]) {
      for (const blank of ['', '%20%09', '%E3%80%80']) {
        for (const beside of ['', `&search=${word}`]) {
          const answer = await api.client.delete(`${collection}?${filter}=${blank}${beside}`);
          const { detail } = assertProblem(answer, 400, 'invalid-parameter');
          const rule = `must not be blank; for items with an empty ${column}, send where={"${column}":""}`;
          assert.equal(detail, `${filter?.split('=')[0]} ${rule}`);
        }
        const read = await api.client.get(`${collection}?${filter}=${blank}&limit=0`);
        assert.equal(read.status, 200, 'a blank operand is fine in a read');
      }
    }
    assertProblem(await api.client.delete(`${collection}?priority=`), 400, 'invalid-parameter');
    for (const blank of ['', '%20', '%E3%80%80']) {
      for (const beside of ['', '&priority=1', '&where={}']) {
        const answer = await api.client.delete(`${collection}?search=${blank}${beside}`);
        const { detail } = assertProblem(answer, 400, 'invalid-parameter');
        assert.match(detail, /^(?:search must not be blank|where must not be \{\} beside other )/);
      }
    }
    assert.deepEqual(await left(word), [1]);
  });

  it('refuses operands in where that are probably lost, and says which', async () => {
    const word = await api.createAll(1);
    const noCondition = 'must have a condition in each and, or, not and object';
    for (const [where, rule] of [
      [{ and: [] }, noCondition],
      [{ not: {} }, noCondition],
      [{ or: [{}, { priority: 1 }] }, noCondition],
      [{ and: [{ title: { gte: '' } }] }, 'must not have a blank text for title.gte'],
      [{ title: { in: ['x', ' '] } }, 'must not have a blank text for title.in'],
      [{ id: { notIn: [] } }, 'must not have an empty array for id.notIn'],
    ] as const) {
      const json = encodeURIComponent(JSON.stringify(where));
      for (const beside of ['', `&search=${word}`]) {
        const answer = await api.client.delete(`${collection}?where=${json}${beside}`);
        const { detail } = assertProblem(answer, 400, 'invalid-parameter');
        assert.equal(detail, `where ${rule}`);
      }
      const read = await api.client.get(`${collection}?where=${json}&limit=0`);
      assert.equal(read.status, 200, 'such an operand is fine in a read');
    }
    assert.deepEqual(await left(word), [1]);
  });

  it('refuses where={} beside a condition', async () => {
    const word = await api.createAll(1);
    for (const beside of ['priority=9', `search=${word}`, 'where={"priority":9}']) {
      for (const query of [`where={}&${beside}`, `${beside}&where={}`]) {
        const answer = await api.client.delete(`${collection}?${query}`);
        const { detail } = assertProblem(answer, 400, 'invalid-parameter');
        assert.equal(detail, 'where must not be {} beside other conditions');
      }
    }
    assert.deepEqual(await left(word), [1]);
  });

  const skip = isOwnService() ? false : 'the service may have items of others';
  it('deletes every item for id.gte=1', { skip }, async () => {
    await api.create();
    const all = (await api.list()).length;
    assertDeleted(await api.client.delete(`${collection}?id.gte=1`), all);
    assert.deepEqual(await api.list(), []);
    assertDeleted(await api.client.delete(`${collection}?id.gte=1&_=1`), 0);
  });
});
