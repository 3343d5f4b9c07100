import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem, describeApi, violationsIn } from './suite.ts';

describeApi('changing an item', 'Operations', (api) => {
  for (const method of ['PUT', 'PATCH']) {
    const change = (id: number | string, body: unknown) =>
      api.send(method, api.itemPath(id), JSON.stringify(body));

    it(`by ${method} overwrites the members that are sent, and keeps the rest`, async () => {
      const { id } = await api.create({ title: 'before', description: 'kept', priority: 2 });
      for (const members of [
        { title: 'after' },
        { description: 'new' },
        { completed: true },
        { priority: 5 },
        { title: ' ', description: '', completed: false, priority: 1 },
        { description: 'd'.repeat(1000) },
        {},
      ]) {
        const before = (await api.client.get(api.itemPath(id))).json();
        const answer = await change(id, members);
        assert.equal(answer.status, 200);
        assert.deepEqual(answer.json(), { ...before, ...members });
        assert.deepEqual((await api.client.get(api.itemPath(id))).json(), answer.json());
      }
    });

    it(`by ${method} reports all violations, by field, and changes nothing`, async () => {
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
        assert.deepEqual(violationsIn(await change(created.id, body)), expected);
      }
      assertProblem(await change(created.id, []), 400, 'malformed-body');
      assert.deepEqual((await api.client.get(api.itemPath(created.id))).json(), created);
    });

    it(`by ${method} is 404 for an unknown id, after the validation`, async () => {
      const { id } = await api.create();
      await api.client.delete(api.itemPath(id));
      const problem = assertProblem(await change(id, {}), 404, 'not-found');
      assert.equal(problem.detail, `Todo with id ${id} was not found`);
      assert.equal(problem.instance, api.itemPath(id));
      assert.deepEqual(violationsIn(await change(id, { priority: 0 })), ['#/priority minimum']);
      assertProblem(await change('abc', {}), 400, 'invalid-id');
    });
  }
});
