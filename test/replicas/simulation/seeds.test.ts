import assert from 'node:assert/strict';
import { it } from 'node:test';
import { KNOWN_SEEDS, runSeed } from './load/run.ts';

it('a simulation of a second has no violation', async () => {
  const { SEED } = process.env;
  for (const seed of SEED === undefined ? KNOWN_SEEDS : [Number(SEED)]) {
    const { violations } = await runSeed(seed, 1_000);
    assert.deepEqual(violations, [], `npm run test:replicas -- simulation --seed=${seed}`);
  }
});
