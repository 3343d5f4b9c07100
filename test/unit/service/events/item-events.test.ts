import assert from 'node:assert/strict';
import { it } from 'node:test';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { appOf } from '../../../support/service.ts';

it('past events are kept from the first stream on, or if a client may resume one', () => {
  for (const mayResume of [false, true]) {
    const { base } = appOf(variantA, {});
    assert(base.hub);
    base.hub.hasBeenOpened = mayResume;
    base.list.items.create({ title: 'x', description: '' });
    assert.equal(base.hub.history.bytes > 0, mayResume);
  }
});
