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
  service.faults([{ method: 'POST', status: 503, headers: { 'Retry-After': '0' }, times: 2 }]);
  expect(await createTodo(service.url, { title: 'Buy milk' })).toMatchObject({ id: 1 });
  expect(service.requests().map(({ status }) => status)).toEqual([503, 503, 201]);
});

test('gives up at some point', async () => {
  service.faults([{ method: 'POST', status: 503 }]);
  await expect(createTodo(service.url, { title: 'Buy milk' })).rejects.toThrow('injected-fault');
  expect(service.requests()).toHaveLength(3);
});
