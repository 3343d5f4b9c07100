import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ProblemBody } from '../support/client.ts';
import { assertProblem, describeApi } from './suite.ts';

const LOCAL_DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}$/;

describeApi('POST /api/todos', (api) => {
  const post = (body: unknown) => api.client.post('/api/todos', body);
  const violations = async (body: unknown): Promise<readonly string[]> => {
    const { errors = [] }: ProblemBody = assertProblem(await post(body), 400, 'validation-failed');
    return errors.map(({ pointer, code }) => `${pointer} ${code}`);
  };

  it('answers 201 with the item, its Location and the members in order', async () => {
    const answer = await post({ title: 'buy milk', description: 'two litres', priority: 5 });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers['content-type'], 'application/json');
    const todo = answer.json();
    assert.equal(answer.headers.location, `/api/todos/${todo.id}`);
    const { createdAt, ...rest } = todo;
    assert.deepEqual(rest, {
      id: todo.id,
      title: 'buy milk',
      description: 'two litres',
      completed: false,
      priority: 5,
    });
    assert.deepEqual(Object.keys(todo), Object.keys(api.variant.fields));
    if (createdAt !== undefined) assert.match(createdAt, LOCAL_DATE_TIME);
  });

  it('stores what it answers', async () => {
    const todo = await api.create({ title: 'kept' });
    assert.deepEqual((await api.client.get(`/api/todos/${todo.id}`)).json(), todo);
  });

  it('gives an absent description the empty string and an absent priority 3', async () => {
    const { description, priority } = await api.create({ title: 'defaults' });
    assert.equal(description, '');
    assert.equal(priority, 3);
  });

  it('reports every violation, in the order of the fields', async () => {
    assert.deepEqual(await violations({ priority: 0, description: 5, title: ' ' }), [
      '#/title not-blank',
      '#/description type',
      '#/priority minimum',
    ]);
  });
});
