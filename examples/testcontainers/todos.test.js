import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { GenericContainer, Wait } from 'testcontainers';

const ADMIN = { Authorization: 'Bearer test' };

let container;
let url;

before(async () => {
  container = await new GenericContainer(process.env.TODO_IMAGE ?? 'todo-service-a')
    .withEnvironment({ ADMIN_TOKEN: 'test' })
    .withExposedPorts(8080)
    // Not the default, which probes ports with a shell: the image has none.
    .withWaitStrategy(Wait.forHttp('/readyz', 8080))
    .start();
  url = `http://${container.getHost()}:${container.getMappedPort(8080)}`;
});
// A container takes longer to start than to reset.
beforeEach(() => fetch(`${url}/admin/reset`, { method: 'POST', headers: ADMIN }));
after(() => container.stop());

for (const title of ['Buy milk', 'Die Straße fegen']) {
  test(`stores "${title}" as the first item`, async () => {
    const response = await fetch(`${url}/api/todos`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ title }),
    });
    assert.equal(response.status, 201);
    assert.equal(response.headers.get('Location'), '/api/todos/1');
    const todos = await (await fetch(`${url}/api/todos`)).json();
    assert.deepEqual(todos, [{ id: 1, title, description: '', completed: false, priority: 3 }]);
  });
}

test('can inject faults, and wait for requests', async () => {
  const faults = [{ method: 'GET', route: '/api/todos', delayMs: 50, status: 503 }];
  await fetch(`${url}/admin/faults`, {
    method: 'PUT',
    headers: { ...ADMIN, 'Content-Type': 'application/json' },
    body: JSON.stringify({ faults }),
  });
  const query = 'method=GET&status=503&waitMs=5000';
  const journal = fetch(`${url}/admin/requests?${query}`, { headers: ADMIN });
  assert.equal((await fetch(`${url}/api/todos`)).status, 503);
  assert.equal((await (await journal).json()).requests.length, 1);
  await fetch(`${url}/admin/faults`, { method: 'DELETE', headers: ADMIN });
  assert.equal((await fetch(`${url}/api/todos`)).status, 200);
});
