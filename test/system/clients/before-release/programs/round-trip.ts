import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

type Todo = components['schemas']['Todo'];

/** Uses every operation on an item through the generated client, unmodified. */
export async function roundTrip(baseUrl: string): Promise<void> {
  const client = createClient<paths>({ baseUrl });

  const created = await client.POST('/api/todos', { body: { title: 'Buy milk' } });
  assert.equal(created.response.status, 201);
  assert(created.data);
  const todo: Todo = created.data;
  assert.equal(todo.priority, 3);
  const path = { id: todo.id };

  const query = { 'title.contains': 'milk', completed: false, 'id.in': [todo.id], limit: 5 };
  const list = await client.GET('/api/todos', { params: { query } });
  assert.deepEqual(list.data, [todo]);
  assert.equal(list.response.headers.get('X-Total-Count'), '1');
  const none = await client.GET('/api/todos', { params: { query: { 'priority.gte': 4 } } });
  assert.deepEqual(none.data, []);

  const got = await client.GET('/api/todos/{id}', { params: { path } });
  assert.deepEqual(got.data, todo);
  const tag = got.response.headers.get('ETag') ?? '';

  const params = { path, header: { 'If-Match': tag } };
  const put = await client.PUT('/api/todos/{id}', { params, body: { completed: true } });
  assert.equal(put.data?.completed, true);
  const stale = await client.PATCH('/api/todos/{id}', { params, body: { priority: 5 } });
  assert.equal(stale.error?.code, 'precondition-failed');
  const patched = await client.PATCH('/api/todos/{id}', {
    params: { path },
    body: { priority: 5 },
    headers: { 'Content-Type': 'application/merge-patch+json' },
  });
  assert.equal(patched.data?.priority, 5);

  const deleted = await client.DELETE('/api/todos/{id}', { params: { path } });
  assert.equal(deleted.response.status, 204);
  const missing = await client.GET('/api/todos/{id}', { params: { path } });
  assert.equal(missing.error?.code, 'not-found');

  const refused = await client.POST('/api/todos', { body: { title: ' ' } });
  assert(refused.error);
  const [violation] = refused.error.errors ?? [];
  const code: components['schemas']['Violation']['code'] | undefined = violation?.code;
  assert.equal(code, 'not-blank');

  // @ts-expect-error A title must be sent.
  assert.equal((await client.POST('/api/todos', { body: {} })).response.status, 400);
}
