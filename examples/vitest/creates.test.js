import { expect } from 'vitest';
import { createTodo } from './client.js';
import { test } from './list.js';

test('the next item is the second, whatever other tests create', async ({ list }) => {
  expect(await createTodo(list.url, { title: 'Call Anna' })).toMatchObject({ id: 2 });
});
