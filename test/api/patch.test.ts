import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem, describeApi } from './suite.ts';

const ACCEPT_PATCH = 'application/merge-patch+json, application/json';

describeApi('patching an item', 'Operations', (api) => {
  it('changes only the members that are sent', async () => {
    const todo = await api.create({ description: 'as it was', priority: 2 });
    for (const change of [
      { title: 'another' },
      { description: '' },
      { completed: true },
      { priority: 5 },
      { title: ' ', completed: false },
      {},
    ]) {
      const before = (await api.client.get(api.itemPath(todo.id))).json();
      const answer = await api.client.patch(api.itemPath(todo.id), change);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json(), { ...before, ...change });
      assert.deepEqual((await api.client.get(api.itemPath(todo.id))).json(), answer.json());
    }
  });

  it('treats application/json the same', async () => {
    const { id } = await api.create();
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const answer = await api.send('PATCH', api.itemPath(id), '{"completed":true}', headers);
    assert.equal(answer.json().completed, true);
  });

  it('rejects any other type: 415 with Accept-Patch', async () => {
    const { id } = await api.create();
    for (const type of [
      'application/vnd.api+json',
      'application/json-patch+json',
      'text/plain',
      'application/merge-patch+json; charset=latin1',
    ]) {
      const answer = await api.send('PATCH', api.itemPath(id), '{}', { 'content-type': type });
      assertProblem(answer, 415, 'unsupported-media-type');
      assert.equal(answer.headers['accept-patch'], ACCEPT_PATCH, type);
    }
    const typeless = await api.client.request('PATCH', api.itemPath(id), { body: '{}' });
    assertProblem(typeless, 415, 'unsupported-media-type');
  });

  it('is announced by Allow and Accept-Patch', async () => {
    const path = api.itemPath(1);
    const [other = ''] = (await api.client.document()).otherMethodsOf(path);
    for (const method of ['OPTIONS', other]) {
      const answer = await api.client.request(method, path);
      assert.match(String(answer.headers.allow), /\bPATCH\b/);
      assert.equal(answer.headers['accept-patch'], ACCEPT_PATCH);
    }
    const events = await api.client.request('OPTIONS', api.eventsPath);
    assert.doesNotMatch(String(events.headers.allow), /PATCH/);
    assert.equal(events.headers['accept-patch'], undefined);
  });

  it('null removes a description of variant B, and is a violation for other members', async () => {
    const todo = await api.create({ description: 'as it was' });
    const path = api.itemPath(todo.id);
    const nullable = api.isDescriptionNullable ? ['description'] : [];
    for (const name of ['title', 'description', 'completed', 'priority']) {
      const answer = await api.client.patch(path, { [name]: null });
      if (nullable.includes(name)) {
        assert.deepEqual(answer.json(), { ...todo, [name]: null });
      } else {
        const { errors } = assertProblem(answer, 400, 'validation-failed');
        assert.deepEqual(
          errors?.map(({ pointer, code }) => `${pointer} ${code}`),
          [`#/${name} not-null`],
        );
      }
    }
    const all = { title: null, description: null, completed: null, priority: 9 };
    const { errors = [] } = assertProblem(
      await api.client.patch(path, all),
      400,
      'validation-failed',
    );
    assert.deepEqual(
      errors.map(({ pointer, code }) => `${pointer} ${code}`),
      [
        '#/title not-null',
        ...(nullable.length > 0 ? [] : ['#/description not-null']),
        '#/completed not-null',
        '#/priority maximum',
      ],
    );
  });

  it('validates like an update', async () => {
    const todo = await api.create();
    for (const [body, expected] of [
      [{ title: '' }, '#/title min-length'],
      [{ completed: 'yes' }, '#/completed type'],
    ] as const) {
      const answer = await api.client.patch(api.itemPath(todo.id), body);
      const { errors } = assertProblem(answer, 400, 'validation-failed');
      assert.deepEqual(
        errors?.map(({ pointer, code }) => `${pointer} ${code}`),
        [expected],
      );
    }
    assertProblem(await api.send('PATCH', api.itemPath(todo.id), '[]'), 400, 'malformed-body');
    assert.deepEqual((await api.client.get(api.itemPath(todo.id))).json(), todo);
  });

  it('ignores the same members as PUT, null or not', async () => {
    const todo = await api.create();
    for (const value of [null, 99, 'x', {}]) {
      const body = { id: value, createdAt: value, unknown: value };
      const answer = await api.client.patch(api.itemPath(todo.id), body);
      assert.deepEqual(answer.json(), todo);
    }
  });

  it('of a missing item: 404; of an invalid id: 400', async () => {
    const { id } = await api.create();
    await api.client.delete(api.itemPath(id));
    assertProblem(await api.client.patch(api.itemPath(id), {}), 404, 'not-found');
    const invalid = { title: null };
    assertProblem(await api.client.patch(api.itemPath(id), invalid), 400, 'validation-failed');
    assertProblem(await api.client.patch(api.itemPath('abc'), {}), 400, 'invalid-id');
  });
});
