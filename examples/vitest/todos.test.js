import { startTodoService } from 'todo-service';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTodo } from './client.js';

let service;

beforeAll(async () => {
  service = await startTodoService();
});
beforeEach(() => service.reset());
afterAll(() => service.stop());

test('tries again until the service works', async () => {
  const headers = { 'Retry-After': '0' };
  await service.faults([{ method: 'POST', status: 503, headers, times: 2 }]);
  expect(await createTodo(service.url, { title: 'Buy milk' })).toMatchObject({ id: 1 });
  const sent = await service.requests({ method: 'POST', route: '/api/todos' });
  expect(sent.map(({ status }) => status)).toEqual([503, 503, 201]);
});

test('understands the page of a gateway', async () => {
  const page = { headers: { 'Content-Type': 'text/html' }, content: '<h1>502 Bad Gateway</h1>' };
  await service.faults([{ status: 502, ...page }]);
  await expect(createTodo(service.url, { title: 'Buy milk' })).rejects.toThrow('status 502');
});

test('gives up after three tries', async () => {
  await service.faults([{ method: 'POST', status: 503 }]);
  await expect(createTodo(service.url, { title: 'Buy milk' })).rejects.toThrow('injected-fault');
  expect(await service.requests()).toHaveLength(3);
});
