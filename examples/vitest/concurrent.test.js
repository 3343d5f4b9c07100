import { beforeEach, describe } from 'vitest';
import { createTodo } from './client.js';
import { test } from './list.js';

// Each concurrent test has its own list, and so has its setup.
describe.concurrent('the setup creates the second item', () => {
  beforeEach(({ list }) => createTodo(list.url, { title: 'Sleep' }));

  for (const title of ['Call Anna', 'Call Ben', 'Call Eva', 'Call Tom']) {
    test(`and ${title} is the third`, async ({ list, expect }) => {
      expect(await createTodo(list.url, { title })).toMatchObject({ id: 3 });
    });
  }
});
