import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem, describeApi } from './suite.ts';

describeApi('updating an item', 'Operations', (api) => {
  it('overwrites the members that are sent, and keeps the rest', async () => {
    const created = await api.create({ title: 'before', description: 'kept', priority: 2 });
    for (const change of [
      { title: 'after' },
      { description: 'new' },
      { completed: true },
      { priority: 5 },
      { title: 'all', description: '', completed: false, priority: 1 },
    ]) {
      const before = (await api.client.get(api.itemPath(created.id))).json();
      const answer = await api.client.put(api.itemPath(created.id), change);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json(), { ...before, ...change });
      assert.deepEqual((await api.client.get(api.itemPath(created.id))).json(), answer.json());
    }
  });

  it('changes nothing for {} and for null members', async () => {
    const created = await api.create({ description: 'there' });
    for (const body of [{}, { title: null, description: null, completed: null, priority: null }]) {
      const answer = await api.client.put(api.itemPath(created.id), body);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json(), created);
    }
  });

  it('accepts values at the limits, and a title that is blank but not empty', async () => {
    const { id } = await api.create();
    for (const body of [
      { title: ' ' },
      { description: 'd'.repeat(1000) },
      { priority: 1 },
      { priority: 5 },
    ]) {
      const answer = await api.client.put(api.itemPath(id), body);
      assert.equal(answer.status, 200, answer.text);
      const todo = answer.json();
      assert.deepEqual({ ...todo, ...body }, todo);
    }
  });

  it('reports every violation, in the order of the fields, and changes nothing', async () => {
    const created = await api.create();
    for (const [body, expected] of [
      [{ title: '' }, ['#/title min-length']],
      [{ title: 1, completed: 'yes' }, ['#/title type', '#/completed type']],
      [
        { description: 'd'.repeat(1001), priority: 6 },
        ['#/description max-length', '#/priority maximum'],
      ],
      [{ priority: 0, completed: 0 }, ['#/completed type', '#/priority minimum']],
      [{ title: 'good', priority: '3' }, ['#/priority type']],
    ] as const) {
      const problem = assertProblem(
        await api.client.put(api.itemPath(created.id), body),
        400,
        'validation-failed',
      );
      assert.deepEqual(
        problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`),
        expected,
      );
    }
    assert.deepEqual((await api.client.get(api.itemPath(created.id))).json(), created);
  });

  it('ignores id, createdAt and unknown members', async () => {
    const created = await api.create();
    const body = { id: 1_000_000, createdAt: '1999-01-01T00:00:00.000', unknown: 1 };
    assert.deepEqual((await api.client.put(api.itemPath(created.id), body)).json(), created);
  });

  it('returns 404 for an unknown id, but validates first', async () => {
    const { id } = await api.create();
    await api.client.delete(api.itemPath(id));
    const problem = assertProblem(await api.client.put(api.itemPath(id), {}), 404, 'not-found');
    assert.equal(problem.detail, `Todo with id ${id} was not found`);
    assert.equal(problem.instance, api.itemPath(id));
    assertProblem(
      await api.client.put(api.itemPath(id), { priority: 0 }),
      400,
      'validation-failed',
    );
  });
});
