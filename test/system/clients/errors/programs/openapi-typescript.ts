import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './client.ts';

type Todo = components['schemas']['Todo'];
type Responses<M extends 'get' | 'put'> = paths['/api/todos/{id}'][M]['responses'];
type NotFound = Responses<'get'>[404]['content']['application/problem+json'];
type PreconditionFailed = Responses<'put'>[412]['content']['application/problem+json'];

const [baseUrl = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });

const created = await client.POST('/api/todos', { body: { title: 'Call home' } });
assert.equal(created.response.status, 201);
assert(created.data);
const todo: Todo = created.data;
const path = { id: todo.id };
// @ts-expect-error A title must be sent.
const refused = await client.POST('/api/todos', { body: {} });
const [violation] = refused.error?.errors ?? [];
const code: components['schemas']['Violation']['code'] | undefined = violation?.code;
assert.equal(code, 'required');

const query = { 'title.contains': 'home', completed: false, 'id.in': [todo.id], limit: 5 };
const list = await client.GET('/api/todos', { params: { query } });
assert.deepEqual(list.data, [todo]);
assert.equal(list.response.headers.get('X-Total-Count'), '1');

const got = await client.GET('/api/todos/{id}', { params: { path } });
const tag = got.response.headers.get('ETag') ?? '';
const params = { path, header: { 'If-Match': tag } };
const put = await client.PUT('/api/todos/{id}', { params, body: { completed: true } });
assert.equal(put.data?.completed, true);
const old = await client.PUT('/api/todos/{id}', { params, body: { completed: true } });
assert(old.error);
const stale: PreconditionFailed = old.error;
assert.deepEqual([old.response.status, stale.code], [412, 'precondition-failed']);
const patched = await client.PATCH('/api/todos/{id}', { params: { path }, body: { priority: 5 } });
assert.equal(patched.data?.priority, 5);

const deleted = await client.DELETE('/api/todos/{id}', { params: { path } });
assert.equal(deleted.response.status, 204);
const { response, error } = await client.GET('/api/todos/{id}', { params: { path } });
assert(error);
const missing: NotFound = error;
assert.deepEqual([response.status, missing.code], [404, 'not-found']);
