import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AUTHORIZED, startAdmin } from '../support/admin.ts';
import { assertProblem, describeApi, uniqueWord, violationsIn } from './suite.ts';

describeApi('misspelt members', 'Misspelt names', (api) => {
  const isB = 'createdAt' in api.variant.fields;
  const post = (body: unknown) => api.client.post(api.collection, body);

  it('are violations in a create request, and replace that of the missing member', async () => {
    for (const [body, ...violations] of [
      [{ titel: 'x' }, '#/titel unknown'],
      [{ Title: 'x', priority: 9 }, '#/priority maximum', '#/Title unknown'],
      [{ TITLE: 'x', ti_tle: 'x' }, '#/TITLE unknown', '#/ti_tle unknown'],
      [{ title: 'x', Priority: 1 }, '#/Priority unknown'],
      [{ priorty: 1, title: 'x', descripton: '' }, '#/priorty unknown', '#/descripton unknown'],
      [{ prioriy: 1 }, '#/title required', '#/prioriy unknown'],
      [{ title: null, titel: 'x' }, '#/title not-null'],
      [{ title: 'x', 'description ': null }, '#/description%20 unknown'],
    ] as const) {
      assert.deepEqual(violationsIn(await post(body)), violations, JSON.stringify(body));
    }
    const { errors } = assertProblem(await post({ titel: 'x' }), 400, 'validation-failed');
    assert.equal(errors?.[0]?.detail, 'is unknown; did you mean title?');
  });

  it('are ignored if their field is present or cannot be set, or if they are not close', async () => {
    const word = uniqueWord();
    for (const more of [
      { titel: 'y', Title: 'y' },
      { done: true, Completed: true, compelted: true, isDone: true },
      { ID: 5, _id: 5, ids: 5, created_at: 'x', createAt: 'x' },
      { editing: true, url: 'x', tags: [], order: 1, tittel: 'x', prio: 1, desc: 'x', name: 'x' },
      { tile2: 1, ittle2: 1, kind: 1, '': 1, _: 1, __proto: 1 },
    ]) {
      const answer = await post({ title: word, ...more });
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.json().title, word);
      assert.equal(answer.json().completed, false);
    }
  });

  it('are violations in an update, which would change nothing', async () => {
    const created = await api.create();
    for (const method of ['PUT', 'PATCH']) {
      const change = (body: unknown) =>
        api.send(method, api.itemPath(created.id), JSON.stringify(body));
      for (const [body, ...violations] of [
        [{ titel: 'y' }, '#/titel unknown'],
        [{ done: true }, '#/done unknown'],
        [{ isDone: true }, '#/isDone unknown'],
        [{ is_complete: true }, '#/is_complete unknown'],
        [{ isCompleted: true, priority: 0 }, '#/priority minimum', '#/isCompleted unknown'],
        [{ complete: true, title: '' }, '#/title min-length', '#/complete unknown'],
      ] as const) {
        assert.deepEqual(violationsIn(await change(body)), violations, JSON.stringify(body));
      }
      const sentBack = { ...created, _links: {}, dones: true, isDon: true, titel: 'y' };
      assert.deepEqual((await change(sentBack)).json(), created);
      assert.deepEqual((await change({ id: 0, created_at: 'x', ID: 1 })).json(), created);
    }
    const all = await api.send('PATCH', `${api.collection}?id=${created.id}`, '{"done":true}');
    assert.deepEqual(violationsIn(all), ['#/done unknown']);
    assert.deepEqual((await api.client.get(api.itemPath(created.id))).json(), created);
  });

  it('are violations in a batch, each with its pointer', async () => {
    const batch = [{ title: 'x' }, { titel: 'x' }, { title: 'x', priorities: 1, PRIORITY: 1 }];
    const answer = await api.client.post(`${api.collection}/batch`, batch);
    assert.deepEqual(violationsIn(answer), ['#/1/titel unknown', '#/2/PRIORITY unknown']);
  });

  it('are violations in a reset, where more members can be set', async (test) => {
    const { client } = await startAdmin(test, api.variant);
    const reset = async (...items: readonly object[]) =>
      client.request('POST', '/admin/reset', {
        headers: { ...AUTHORIZED, 'content-type': 'application/json' },
        body: JSON.stringify({ todos: items }),
      });
    const answer = await reset(
      { titel: 'x' },
      { title: 'x', done: true, _id: 5 },
      { title: 'x', compelted: true },
      { title: 'x', created_at: '2026-11-20' },
      { title: 'x', completed: true, done: false, titel: 'y', tags: [] },
    );
    assert.deepEqual(violationsIn(answer), [
      ...['#/todos/0/titel unknown', '#/todos/1/done unknown', '#/todos/1/_id unknown'],
      '#/todos/2/compelted unknown',
      ...(isB ? ['#/todos/3/created_at unknown'] : []),
    ]);
    assert.equal((await reset({ title: 'x', completed: true, done: false })).status, 204);
    assert.equal((await client.get(api.itemPath(1))).json().completed, true);
  });
});

describeApi('parameters that a path does not have', 'Misspelt names', (api) => {
  const IGNORE = 'STRICT_QUERY=off ignores unknown parameters';
  const detailOf = async (method: string, path: string, body?: string) => {
    const answer = await (body === undefined
      ? api.client.request(method, path)
      : api.send(method, path, body));
    return assertProblem(answer, 400, 'invalid-parameter').detail;
  };

  it('are 400 on an item, and nothing happens', async () => {
    const created = await api.create();
    const path = api.itemPath(created.id);
    const expected = `"dryRun" is not a parameter; there are none; ${IGNORE}`;
    assert.equal(await detailOf('DELETE', `${path}?dryRun=true`), expected);
    assert.equal(await detailOf('GET', `${path}?dryRun=true`), expected);
    assert.equal(await detailOf('PUT', `${path}?dryRun=true`, '{"priority":5}'), expected);
    assert.equal(await detailOf('PATCH', `${path}?_=1&dryRun`, '{"priority":5}'), expected);
    assert.match(
      await detailOf('GET', `${path}?completed=true`),
      /^"completed" is not a parameter;/,
    );
    assert.equal((await api.client.request('HEAD', `${path}?x=1`)).status, 400);
    assert.deepEqual((await api.client.get(`${path}?_=17`)).json(), created);
    assertProblem(await api.client.get(`${api.itemPath('x')}?x=1`), 400, 'invalid-id');
    assert.equal((await api.client.request('OPTIONS', `${path}?x=1`)).status, 204);
    assertProblem(await api.client.post(`${path}?x=1`, {}), 405, 'method-not-allowed');
  });

  it('are 400 on a POST of the list, with the reason if GET has them', async () => {
    const word = uniqueWord();
    const body = JSON.stringify({ title: word });
    for (const [name, detail] of [
      ['dryRun', `is not a parameter; there are none; ${IGNORE}`],
      ['limit', 'is a parameter of GET; POST has none'],
      ['priority.gte', 'is a parameter of GET; POST has none'],
      ['completed', 'is a parameter of GET; POST has none'],
    ] as const) {
      const found = await detailOf('POST', `${api.collection}?${name}=1`, body);
      assert.equal(found, `"${name}" ${detail}`);
    }
    const batch = await detailOf('POST', `${api.collection}/batch?dryRun=1`, `[${body}]`);
    assert.equal(batch, `"dryRun" is not a parameter; there are none; ${IGNORE}`);
    assert.deepEqual(await api.list(`?search=${word}`), []);
    assert.equal((await api.send('POST', `${api.collection}?_=1`, body)).status, 201);
    assert.equal((await api.send('POST', `${api.collection}/batch?_=1`, `[${body}]`)).status, 201);
  });
});
