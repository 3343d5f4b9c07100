import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startTodoService } from 'todo-service';
import { Pool } from 'undici';

let service;
let client;

before(async () => {
  service = await startTodoService({
    seed: [
      { title: 'Buy milk', priority: 5 },
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

async function ask(method, path, value) {
  const { statusCode, body } = await client.request({
    method,
    path,
    headers: { 'content-type': 'application/json' },
    body: value && JSON.stringify(value),
  });
  const text = await body.text();
  return { status: statusCode, value: text && JSON.parse(text) };
}

test('finds open todos', async () => {
  const { value } = await ask('GET', '/api/todos?completed=false');
  assert.deepEqual(
    value.map(({ title }) => title),
    ['Buy milk'],
  );
});

for (const round of [1, 2]) {
  test(`starts from the seed, round ${round}`, async () => {
    const { status, value } = await ask('POST', '/api/todos', { title: 'Wake up' });
    assert.deepEqual([status, value.id], [201, 3]);
  });
}

test('reports all violations', async () => {
  const { status, value } = await ask('POST', '/api/todos', { title: ' ', priority: 9 });
  assert.equal(status, 400);
  assert.deepEqual(
    value.errors.map(({ pointer }) => pointer),
    ['#/title', '#/priority'],
  );
});
