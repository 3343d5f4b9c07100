import { expect } from 'vitest';
import { createTodo } from './client.js';
import { test } from './list.js';

test('tries again until the service works', async ({ list }) => {
  const headers = { 'Retry-After': '0' };
  await list.setFaults({ method: 'POST', status: 503, headers, times: 2 });
  expect(await createTodo(list.url, { title: 'Call Anna' })).toMatchObject({ id: 2 });
  const statuses = (await list.requests()).map(({ status }) => status);
  expect(statuses).toEqual([503, 503, 201]);
});

test('understands the page of a gateway', async ({ list }) => {
  const page = { headers: { 'Content-Type': 'text/html' }, content: '<h1>502 Bad Gateway</h1>' };
  await list.setFaults({ status: 502, ...page });
  await expect(createTodo(list.url, { title: 'Buy milk' })).rejects.toThrow('status 502');
});

test('gives up after three tries', async ({ list }) => {
  await list.setFaults({ method: 'POST', status: 503 });
  await expect(createTodo(list.url, { title: 'Buy milk' })).rejects.toThrow('injected-fault');
  expect(await list.requests()).toHaveLength(3);
});
