import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runToEnd } from '../../../../src/lib/steps.ts';
import { Items } from '../../../../src/service/store/items.ts';
import { memoryStore } from '../../../../src/service/store/memory-store.ts';
import type { Sharing } from '../../../../src/service/store/store.ts';
import { ItemEvents } from '../../../../src/service/todo/item-events.ts';
import { ItemResource } from '../../../../src/service/todo/item-resource.ts';
import { variantA } from '../../../../src/service/todo/variant-a.ts';

const SHARING: Sharing = {
  representation: '',
  shownCommit: () => 0,
  notReadyProblem: () => undefined,
  metrics: () => [],
  close: () => {},
};

/** The bytes of history after a create, before any stream has been opened. */
function historyAfterCreate(maxStreams: number, sharing?: Sharing): number {
  const items = new Items(variantA.fields);
  const store = { ...memoryStore(items, runToEnd), ...(sharing && { sharing }) };
  const resource = new ItemResource(variantA, store, { check: () => {} }, 0);
  const { hub } = new ItemEvents(resource, { maxStreams, maxHistoryBytes: 10_000 });
  items.create({ title: 'x', description: '' });
  return hub.history.bytes;
}

describe('the history of events before the first stream', () => {
  it('is kept only if a client may have an event id, of another replica', () => {
    assert(historyAfterCreate(1, SHARING) > 0);
    assert.equal(historyAfterCreate(0, SHARING), 0, 'there are no streams');
    assert.equal(historyAfterCreate(1), 0, 'there are no other replicas');
  });
});
