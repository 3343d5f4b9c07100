import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Field } from '../../src/service/resource/field.ts';
import { assertProblem, describeApi, uniqueWord, violationsIn } from './suite.ts';

const NEW_IS_OPEN = 'cannot be true: a new item is open; PATCH sets it';

describeApi('unknown members', 'Names', (api) => {
  const post = (body: unknown) => api.client.post(api.collection, body);
  const namesOf = (request: 'create' | 'update') => {
    const fields = Object.entries<Field>(api.variant.fields);
    const settable = fields.filter(([, { [request]: treatment }]) => treatment !== undefined);
    return settable.map(([name]) => name).join(', ');
  };
  const detailsOf = async (answer: ReturnType<typeof post>) =>
    assertProblem(await answer, 400, 'validation-failed').errors?.map(({ detail }) => detail);

  it('are violations of a create request, and replace that of a field that is missing', async () => {
    for (const [body, ...violations] of [
      [{ titel: 'x' }, '#/titel unknown'],
      [{ Title: 'x', priority: 9 }, '#/priority maximum', '#/Title unknown'],
      [{ TITLE: 'x', ti_tle: 'x' }, '#/TITLE unknown', '#/ti_tle unknown'],
      [{ title: 'x', Priority: 1 }, '#/Priority unknown'],
      [{ priorty: 1, title: 'x', descripton: '' }, '#/priorty unknown', '#/descripton unknown'],
      [{ prioriy: 1 }, '#/title required', '#/prioriy unknown'],
      [{ title: null, titel: 'x' }, '#/title not-null', '#/titel unknown'],
      [{ title: 'x', titel: 'x' }, '#/titel unknown'],
      [{ title: 'x', 'description ': null }, '#/description%20 unknown'],
      [{ title: 'x', done: true }, '#/done unknown'],
      [
        { title: 'x', position: 3, url: 'y', '': 1 },
        '#/position unknown',
        '#/url unknown',
        '#/ unknown',
      ],
      [{ todo: { title: 'x' } }, '#/title required', '#/todo unknown'],
    ] as const) {
      assert.deepEqual(violationsIn(await post(body)), violations, JSON.stringify(body));
    }
  });

  it('have a hint: the name that was probably meant, or those that there are', async () => {
    const there = `is unknown; use ${namesOf('create')}`;
    for (const [name, detail] of [
      ['titel', 'is unknown; did you mean title?'],
      ['_id', 'is unknown; id is assigned by the service; leave it out'],
      ['created_at', 'is unknown; createdAt is assigned by the service; leave it out'],
      ['is_done', `is unknown; completed ${NEW_IS_OPEN}`],
      ['completd', `is unknown; completed ${NEW_IS_OPEN}`],
      ['finished', there],
      ['todo', there],
      ['constructor', there],
    ] as const) {
      assert.deepEqual(await detailsOf(post({ title: 'x', [name]: 1 })), [detail], name);
    }
    const update = api.client.put(api.itemPath(1), { status: 'done' });
    const ofUpdate = [`is unknown; use ${namesOf('update')}`];
    assert.deepEqual(await detailsOf(update), ofUpdate);
    const done = api.client.put(api.itemPath(1), { isComplete: true });
    assert.deepEqual(await detailsOf(done), ['is unknown; did you mean completed?']);
  });

  it('are violations of an update, and change nothing', async () => {
    const created = await api.create();
    for (const method of ['PUT', 'PATCH']) {
      const change = (body: unknown) =>
        api.send(method, api.itemPath(created.id), JSON.stringify(body));
      for (const [body, ...violations] of [
        [{ isCompleted: true, priority: 0 }, '#/priority minimum', '#/isCompleted unknown'],
        [{ ...created, _links: {} }, '#/_links unknown'],
      ] as const) {
        assert.deepEqual(violationsIn(await change(body)), violations, JSON.stringify(body));
      }
    }
    const all = await api.send('PATCH', `${api.collection}?id=${created.id}`, '{"done":true}');
    assert.deepEqual(violationsIn(all), ['#/done unknown']);
    assert.deepEqual((await api.client.get(api.itemPath(created.id))).json(), created);
  });
});

describeApi('parameters that a path does not have', 'Names', (api) => {
  const detailOf = async (method: string, path: string, body?: string) => {
    const answer = await (body === undefined
      ? api.client.request(method, path)
      : api.send(method, path, body));
    return assertProblem(answer, 400, 'invalid-parameter').detail;
  };

  it('are 400, and nothing happens', async () => {
    const created = await api.create();
    const path = api.itemPath(created.id);
    const body = JSON.stringify({ priority: 5, title: uniqueWord() });
    const expected = '"dryRun" is not a parameter; there are none';
    for (const [method, target] of [
      ['PUT', `${path}?dryRun=true`],
      ['PATCH', `${path}?_=1&dryRun`],
      ['POST', `${api.collection}?dryRun=true`],
    ] as const) {
      assert.equal(await detailOf(method, target, body), expected);
    }
    assert.equal(await detailOf('DELETE', `${path}?dryRun=true`), expected);
    assert.deepEqual((await api.client.get(`${path}?_=17`)).json(), created);
    assertProblem(await api.client.get(`${api.itemPath('x')}?x=1`), 400, 'invalid-id');
    assert.equal((await api.client.request('OPTIONS', `${path}?x=1`)).status, 204);
    assertProblem(await api.client.post(`${path}?x=1`, {}), 405, 'method-not-allowed');
    assert.equal((await api.send('POST', `${api.collection}/batch?_=1`, `[${body}]`)).status, 201);
  });
});
