import { expect } from 'vitest';
import { listNames, test } from './list.js';

test('four workers have a list each', async ({ list }) => {
  const names = ['worker-1', 'worker-2', 'worker-3', 'worker-4'];
  await expect.poll(listNames, { timeout: 20_000 }).toEqual(names);
  expect(await (await fetch(`${list.url}/api/todos`)).json()).toHaveLength(1);
}, 30_000);
