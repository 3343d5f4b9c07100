import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runSeed } from './load/run.ts';

it('a simulation of a second has no violation', async () => {
  const seed = Number(process.env.SEED ?? 1);
  const { violations } = await runSeed(seed, 1_000);
  assert.deepEqual(violations, [], `npm run test:system -- simulation --seed=${seed}`);
});
