import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startTodoService } from 'todo-service';
import { Pool } from 'undici';

const URGENT_OR_DONE = { or: [{ priority: { gte: 5 } }, { completed: true }] };

let service;
let client;

before(async () => {
  service = await startTodoService({
    seed: [
      { title: 'Buy milk', priority: 5 },
      { title: 'Call Anna', priority: 2 },
      { title: 'Sleep', completed: true },
    ],
  });
  client = new Pool(service.url);
});
beforeEach(() => service.reset());
after(async () => {
  await client.close();
  await service.stop();
});

const titlesOf = (items) => items.map(({ title }) => title);

test('GET takes a condition as the parameter where', async () => {
  const query = { where: JSON.stringify(URGENT_OR_DONE), limit: 1 };
  const { headers, body } = await client.request({ method: 'GET', path: '/api/todos', query });
  assert.deepEqual(titlesOf(await body.json()), ['Buy milk']);
  assert.equal(headers['x-total-count'], '2');
});

test('DELETE takes filters or a condition, and says how many items it deleted', async () => {
  const remove = async (query) => {
    const { body } = await client.request({ method: 'DELETE', path: '/api/todos', query });
    return body.json();
  };
  assert.deepEqual(await remove({ completed: true }), { deleted: 1 });
  assert.deepEqual(await remove({ where: '{"priority": {"in": [2, 3]}}' }), { deleted: 1 });
  assert.equal((await remove({})).code, 'condition-required');

  const left = await client.request({ method: 'GET', path: '/api/todos' });
  assert.deepEqual(titlesOf(await left.body.json()), ['Buy milk']);
});
