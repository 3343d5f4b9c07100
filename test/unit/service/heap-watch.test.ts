import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { watchHeap } from '../../../src/service/heap-watch.ts';
import { turnsUntil } from '../../support/within.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

it('calls back after a full collection that leaves more than the limit in use', async () => {
  let [above, below] = [0, 0];
  watchHeap(1, () => above++);
  watchHeap(Number.MAX_SAFE_INTEGER, () => below++);
  await turnsUntil('it calls back', () => {
    collectGarbage();
    return above > 0;
  });
  assert.equal(below, 0);
});
