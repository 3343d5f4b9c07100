import { expect } from 'vitest';
import { test } from './list.js';

test('deletes all items of this test', async ({ list }) => {
  const all = `${list.url}/api/todos?id.gte=1`;
  expect(await (await fetch(all, { method: 'DELETE' })).json()).toEqual({ deleted: 1 });
  expect(await (await fetch(`${list.url}/api/todos`)).json()).toEqual([]);
});
