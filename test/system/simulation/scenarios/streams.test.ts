import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { create, titles } from '../../../support/items.ts';
import type { SimulatedReplica } from '../service/replica.ts';
import { SimulatedStream } from '../service/stream.ts';
import { simulated, startTwo } from './stage.ts';

/** Opens a stream, and takes its first event. */
async function follow(replica: SimulatedReplica, lastEventId?: string): Promise<SimulatedStream> {
  const stream = await replica.stream(lastEventId);
  assert(stream instanceof SimulatedStream);
  assert.equal((await stream.next())?.event, 'ready');
  return stream;
}

describe('a stream that moves to another replica', () => {
  simulated('continues with the same events if that has followed the list', async (all) => {
    const [a, b] = await startTwo(all);
    const ofA = await follow(a);
    const id = ofA.lastEventId;
    for (const title of ['one', 'two']) await create(a, title);
    const seen = [await ofA.next(), await ofA.next()];
    assert.deepEqual(await titles(b), ['one', 'two']);
    for (const [index, from] of [id, seen[0]?.id].entries()) {
      const ofB = await follow(b, from);
      for (const event of seen.slice(index)) assert.deepEqual(await ofB.next(), event);
    }
  });

  simulated('continues on one that is behind, and loses nothing', async (all) => {
    const [a, b] = await startTwo(all);
    await create(a, 'first');
    await titles(b);
    const ofA = await follow(a);
    all.network.set(b.links, 'silent');
    await create(a, 'second');
    const event = await ofA.next();
    all.environment.after(200, () => all.network.heal());
    const ofB = await follow(b, event?.id);
    await create(a, 'third');
    assert.match((await ofB.next())?.data ?? '', /"third"/);
  });

  simulated('gets reset if that has loaded the list since', async (all) => {
    const a = all.start();
    await all.ready();
    const ofA = await follow(a);
    await create(a, 'one');
    const event = await ofA.next();
    await create(a, 'two');
    const late = all.start();
    await all.ready();
    const ofLate = await follow(late, event?.id);
    assert.equal((await ofLate.next())?.event, 'reset');
    const again = await follow(late, ofLate.lastEventId);
    await create(a, 'three');
    assert.match((await again.next())?.data ?? '', /"three"/, 'nothing is missed since the reset');
  });
});
