import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../../../../src/lib/http/messages/problem.ts';
import { Faults } from '../../../../src/service/faults/faults.ts';
import { readSeed } from '../../../../src/service/items/seed.ts';
import { Journal } from '../../../../src/service/journal/journal.ts';
import { rulesOf } from '../../../../src/service/resource/definition.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import { appOf } from '../../../support/service.ts';
import { within } from '../../../support/within.ts';

const LONG = readSeed(
  Array.from({ length: 5_000 }, () => ({ title: 'x' })),
  rulesOf(variantB, true),
  'invalid',
);
const SHORT = readSeed([{ title: 'short' }], rulesOf(variantB, true), 'invalid');

/** A service, and the titles of its list. */
function start() {
  const { base, control } = appOf(variantB, { isInProcess: true });
  const titles = () => base.list.items.table.search().map(({ title }) => title);
  return { base, lists: control.lists, titles };
}

it('a reset makes the next list while the previous one is served', async () => {
  const { base, lists, titles } = start();
  const { list: previous } = base;
  const reset = lists.reset(base, { readItems: () => LONG });
  let turns = 0;
  for (; base.list === previous; turns++) {
    previous.items.create({ title: `turn ${turns}` });
    await nextTurn();
  }
  await reset;
  assert(turns > 1, 'it takes several turns of the event loop');
  assert.equal(previous.items.table.size, turns);
  assert.equal(titles().length, 5_000);
  assert.equal(base.list.items.create({ title: 'next' }).id, 5_001);
});

it('a reset waits for the one before it, which may fail, to parse its seed', async () => {
  const { base, lists, titles } = start();
  const failure = new Error('a test');
  let parsed = 0;
  const failed = lists.reset(base, {
    readItems: () => {
      throw failure;
    },
  });
  const first = lists.reset(base, { readItems: () => LONG });
  const second = lists.reset(base, {
    readItems: () => {
      parsed++;
      return SHORT;
    },
  });
  await assert.rejects(failed, failure);
  await nextTurn();
  assert.equal(parsed, 0);
  await first;
  await second;
  assert.deepEqual([parsed, titles()], [1, ['short']]);
});

it('a change that had to wait is not made for a caller that has gone', async () => {
  for (const gone of ['isDisconnected', 'isHalfClosed'] as const) {
    const { base, lists, titles } = start();
    const caller = { isDisconnected: false, isHalfClosed: false };
    const first = lists.reset(base, { readItems: () => LONG });
    const changes = [
      lists.reset(base, { caller, readItems: () => SHORT }),
      lists.put('anna', { caller }),
      lists.remove('ben', { caller }),
    ];
    const last = lists.put('ben');
    caller[gone] = true;
    await first;
    for (const change of changes) {
      await assert.rejects(change, (error) => error instanceof Problem && error.status === 503);
    }
    await last;
    assert.equal(titles().length, 5_000);
    assert.deepEqual(
      lists.namedMounts.map(({ name }) => name),
      ['ben'],
    );
  }
});

it('a removal of one list spares another that has its name by then', async () => {
  const { lists } = start();
  const { mount } = await lists.put('anna');
  const removed = lists.remove('anna');
  const made = lists.put('anna');
  await lists.remove('anna', { only: mount });
  await removed;
  const { mount: other } = await made;
  assert.deepEqual([mount.isRemoved, other.isRemoved], [true, false]);
  await lists.remove('anna', { only: other });
  assert(other.isRemoved);
});

it('a reset of a list that was removed meanwhile fails, also if another has its name', async () => {
  const { lists } = start();
  const { mount } = await lists.put('anna');
  const removed = lists.remove('anna');
  const late = lists.reset(mount, { readItems: () => SHORT });
  const made = lists.put('anna');
  await removed;
  await assert.rejects(late, (error) => error instanceof Problem && error.status === 404);
  assert.notEqual((await made).mount, mount);
});

it('a reset that need not wait is carried out, even if its client has ended its side', async () => {
  const { base, lists, titles } = start();
  await lists.reset(base, { readItems: () => LONG });
  await nextTurn();
  const caller = { isDisconnected: false, isHalfClosed: true };
  await lists.reset(base, { readItems: () => SHORT, caller });
  assert.deepEqual(titles(), ['short']);
});

it('a new list takes its memory from the base before its seed is there, and gives it back without it', async () => {
  const { base, lists } = start();
  const { items } = base.list;
  const before = items.table.maxBytes;
  const made = lists.put('anna', { readItems: () => LONG });
  while (items.table.maxBytes === before && lists.mountOf('anna') === undefined) await nextTurn();
  assert.equal(lists.mountOf('anna'), undefined, 'it is being filled');
  const { maxBytes } = (await made).mount.list.items.table;
  await lists.remove('anna');
  assert.equal(items.table.maxBytes, before);
  const huge = readSeed(
    Array.from({ length: maxBytes / 1_000 }, () => ({ title: 'x', description: 'y'.repeat(990) })),
    rulesOf(variantB, true),
    'invalid',
  );
  await assert.rejects(lists.put('ben', { readItems: () => huge }), { name: 'TableFullError' });
  assert.equal(items.table.maxBytes, before);
});

it('a list that is mounted after a stop lets nobody wait', async () => {
  const { base, lists } = start();
  const reset = lists.reset(base, { readItems: () => LONG });
  const made = lists.put('anna');
  lists.stop();
  await reset;
  const { mount } = await made;
  for (const { list } of [base, mount]) {
    await within('a wait', list.feature(Journal).wait({}, 1, 600_000));
  }
});

it('faults that are set for a list which has ended take no memory', () => {
  const memory = { bytes: 0, maxBytes: 1_000 };
  const faults = new Faults([], { onChange: () => {}, memory });
  faults.end();
  faults.set([{ delayMs: 7 }]);
  assert.equal(memory.bytes, 0);
});
