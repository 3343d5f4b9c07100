import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { paths } from './client.ts';

type Responses<M extends 'get' | 'put'> = paths['/api/todos/{id}'][M]['responses'];
type NotFound = Responses<'get'>[404]['content']['application/problem+json'];
type PreconditionFailed = Responses<'put'>[412]['content']['application/problem+json'];

const [baseUrl = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });

const { response, error } = await client.GET('/api/todos/{id}', { params: { path: { id: 999 } } });
assert(error);
const missing: NotFound = error;
assert.deepEqual([response.status, missing.code], [404, 'not-found']);

const put = await client.PUT('/api/todos/{id}', {
  params: { path: { id: 1 }, header: { 'If-Match': '"old"' } },
  body: { completed: true },
});
assert(put.error);
const stale: PreconditionFailed = put.error;
assert.deepEqual([put.response.status, stale.code], [412, 'precondition-failed']);
