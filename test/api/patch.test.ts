import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem, describeApi, violationsIn } from './suite.ts';

const ACCEPT_PATCH = 'application/merge-patch+json, application/json';

describeApi('patching an item', 'Operations', (api) => {
  it('rejects any other type: 415 with Accept-Patch', async () => {
    const { id } = await api.create();
    for (const type of ['application/vnd.api+json', 'application/json-patch+json']) {
      const answer = await api.send('PATCH', api.itemPath(id), '{}', { 'content-type': type });
      assertProblem(answer, 415, 'unsupported-media-type');
      assert.equal(answer.headers['accept-patch'], ACCEPT_PATCH, type);
    }
  });

  it('is announced by Accept-Patch', async () => {
    const path = api.itemPath(1);
    for (const method of ['OPTIONS', 'TRACE']) {
      const answer = await api.client.request(method, path);
      assert.equal(answer.headers['accept-patch'], ACCEPT_PATCH);
    }
    const events = await api.client.request('OPTIONS', api.eventsPath);
    assert.equal(events.headers['accept-patch'], undefined);
  });

  it('null removes a description of variant B, and is a violation for other members', async () => {
    const todo = await api.create({ description: 'as it was' });
    const path = api.itemPath(todo.id);
    const nullable = api.isDescriptionNullable ? ['description'] : [];
    for (const name of ['title', 'description', 'completed', 'priority']) {
      const answer = await api.client.patch(path, { [name]: null });
      if (nullable.includes(name)) assert.deepEqual(answer.json(), { ...todo, [name]: null });
      else assert.deepEqual(violationsIn(answer), [`#/${name} not-null`]);
    }
    const all = { title: null, description: null, completed: null, priority: 9 };
    assert.deepEqual(violationsIn(await api.client.patch(path, all)), [
      '#/title not-null',
      ...(nullable.length > 0 ? [] : ['#/description not-null']),
      '#/completed not-null',
      '#/priority maximum',
    ]);
  });
});
