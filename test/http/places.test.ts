import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Places } from '../../src/http/places.ts';

describe('Places', () => {
  const stays = () => {};

  it('gives out so many, then lets wait, then is full; who waited longest comes first', async () => {
    const places = new Places(1, 2);
    assert.equal(places.take(stays), undefined);
    const order: string[] = [];
    const first = places.take(stays)?.then(() => order.push('first'));
    assert.equal(places.full, false);
    const second = places.take(stays)?.then(() => order.push('second'));
    assert.equal(places.full, true);
    places.release();
    await first;
    places.release();
    await second;
    assert.deepEqual(order, ['first', 'second']);
    places.release();
    assert.equal(places.take(stays), undefined);
  });

  it('lets whoever waits leave the line', async () => {
    const places = new Places(1, 1);
    places.take(stays);
    let leave = stays;
    const waiting = places.take((how) => {
      leave = how;
    });
    leave();
    assert.equal(await waiting, false);
    assert.equal(places.full, false);
  });
});
