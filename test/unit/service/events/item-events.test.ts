import assert from 'node:assert/strict';
import { it } from 'node:test';
import { memoryStore } from '../../../../src/service/store/memory-store.ts';
import type { OpenStore } from '../../../../src/service/store/store.ts';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { appOf } from '../../../support/service.ts';

const openShared: OpenStore = (items) => ({
  ...memoryStore(items),
  reset: () => Promise.reject(new Error('no resets')),
  notReadyProblem: () => undefined,
  metrics: () => [],
  close: () => {},
});

/** The bytes of history after a create, before any stream has been opened. */
function historyAfterCreate(openStore?: OpenStore): number | undefined {
  const { base } = appOf(variantA, { openStore });
  base.list.items.create({ title: 'x', description: '' });
  return base.hub?.history.bytes;
}

it('past events before the first stream are kept only if another replica has clients', () => {
  assert.notEqual(historyAfterCreate(openShared), 0);
  assert.equal(historyAfterCreate(), 0, 'there are no other replicas');
});
