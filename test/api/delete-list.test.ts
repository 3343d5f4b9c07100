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

  it('needs a condition', async () => {
    for (const query of ['', '?', '?&', '?_=1']) {
      const answer = await api.client.delete(collection + query);
      const { detail } = assertProblem(answer, 400, 'condition-required');
      assert.match(detail, /send where=\{\} alone$/);
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
      ['search=a&limit=1', '"limit" is a parameter of GET; a write takes all items that match'],
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

  it('refuses empty filters and a blank search', async () => {
    const word = await api.createAll(1);
    for (const filter of ['title', 'title.contains', 'description.notIn', 'title.in', 'priority']) {
      for (const beside of ['', `&search=${word}`, '&where={}']) {
        const answer = await api.client.delete(`${collection}?${filter}=${beside}`);
        const { detail } = assertProblem(answer, 400, 'invalid-parameter');
        const [column] = filter.split('.');
        const more = `; for items with an empty ${column}, send where={"${column}":""}`;
        const expected = `${filter} must not be empty${filter === 'priority' ? '' : more}`;
        assert.equal(detail, expected);
      }
    }
    for (const blank of ['', '%20', '%E3%80%80']) {
      for (const beside of ['', '&priority=1', '&where={}']) {
        const answer = await api.client.delete(`${collection}?search=${blank}${beside}`);
        const { detail } = assertProblem(answer, 400, 'invalid-parameter');
        assert.equal(detail, 'search must not be blank');
      }
    }
    assert.deepEqual(await left(word), [1]);
  });

  it('refuses empty operands in where, and names their place', async () => {
    const word = await api.createAll(1);
    for (const [where, place] of [
      [{ and: [] }, '#/and'],
      [{ or: [] }, '#/or'],
      [{ not: {} }, '#/not'],
      [{ and: [{}] }, '#/and/0'],
      [{ or: [{}, { priority: 1 }] }, '#/or/0'],
      [{ not: { or: [] } }, '#/not/or'],
      [{ priority: 1, and: [{ title: { contains: '' } }] }, '#/and/0/title/contains'],
      [{ title: { containsIgnoreCase: '' } }, '#/title/containsIgnoreCase'],
      [{ description: { startsWith: '' } }, '#/description/startsWith'],
      [{ not: { title: { endsWith: '' } } }, '#/not/title/endsWith'],
      [{ title: { gte: '' } }, '#/title/gte'],
      [{ id: { notIn: [] } }, '#/id/notIn'],
      [{ id: { in: [] } }, '#/id/in'],
    ] as const) {
      const json = encodeURIComponent(JSON.stringify(where));
      for (const beside of ['', `&search=${word}`, '&where={}']) {
        const answer = await api.client.delete(`${collection}?where=${json}${beside}`);
        const { detail } = assertProblem(answer, 400, 'invalid-parameter');
        assert(detail.startsWith(`where at ${place} must `), detail);
      }
      const read = await api.client.get(`${collection}?where=${json}&limit=0`);
      assert.equal(read.status, 200, 'an empty operand is fine in a read');
    }
    assert.deepEqual(await left(word), [1]);
  });

  it('finds items with an empty text by where', async () => {
    const word = await api.createAll(1);
    const where = encodeURIComponent(`{"title":{"contains":"${word}"},"description":""}`);
    assertDeleted(await api.client.delete(`${collection}?where=${where}`), 1);
  });

  it('refuses where={} beside a condition', async () => {
    const word = await api.createAll(1);
    for (const beside of ['priority=9', `search=${word}`, 'where={"priority":9}', 'where={}']) {
      for (const query of [`where={}&${beside}`, `${beside}&where={}`]) {
        const answer = await api.client.delete(`${collection}?${query}`);
        const { detail } = assertProblem(answer, 400, 'invalid-parameter');
        assert.match(detail, /^where=\{\} selects every item, so no other/);
      }
    }
    assert.deepEqual(await left(word), [1]);
  });

  const skip = isOwnService() ? false : 'the service may have items of others';
  it('deletes every item for where={}', { skip }, async () => {
    await api.create();
    const all = (await api.list()).length;
    assertDeleted(await api.client.delete(`${collection}?where={}`), all);
    assert.deepEqual(await api.list(), []);
    assertDeleted(await api.client.delete(`${collection}?where={}&_=1`), 0);
  });
});
