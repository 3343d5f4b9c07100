import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readSeed } from '../../src/service/items/seed.ts';
import { rulesOf } from '../../src/service/resource/definition.ts';
import { variantB } from '../../src/service/todo/variant-b.ts';
import { LIST } from '../support/paths.ts';
import { RawClient, rawClientFor, turns } from '../support/raw.ts';
import { createRequest, getRequest } from '../support/raw-requests.ts';
import { startApp } from '../support/service.ts';
import { turnsUntil } from '../support/within.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const seedOf = (length: number) => {
  const item = { title: 'x', description: '😀'.repeat(1_000) };
  return readSeed(Array(length).fill(item), rulesOf(variantB, true), 'invalid');
};

/** Starts a service with a list that is longer than the system keeps for a client that does not read. */
async function start(test: TestContext) {
  const service = await startApp(test, variantB, { seed: seedOf(1_200), isInProcess: true });
  const { base, control } = service.app;
  /** A client of the present list, whose request ends when it sends the last byte. */
  const hold = async () => {
    const client = await rawClientFor(test, service.port);
    await client.sendApart(createRequest().slice(0, -1));
    return { client, finish: () => client.send(createRequest().slice(-1)) };
  };
  return { ...service, base, hold, reset: () => control.lists.reset(base) };
}

it('an old list leaves nothing behind when its last request has ended, however it ends', async (test) => {
  const { app, base, port, hold, reset } = await start(test);
  const lists: WeakRef<object>[] = [];
  const replace = async () => {
    lists.push(new WeakRef(base.list), new WeakRef(base.list.items));
    await reset();
  };
  const [sent, gone] = [await hold(), await hold()];
  await replace();
  const reader = await RawClient.connect(port);
  reader.socket.pause();
  await reader.sendApart(getRequest(LIST));
  await replace();
  const ofRemoved = await rawClientFor(test, port);
  const remove = async () => {
    const { mount } = await app.control.lists.put('anna', { readItems: () => seedOf(1) });
    lists.push(new WeakRef(mount), new WeakRef(mount.list));
    await ofRemoved.sendApart(createRequest({ path: `/lists/anna${LIST}` }).slice(0, -1));
    await app.control.lists.remove('anna');
  };
  await remove();
  collectGarbage();
  const held = lists.filter((each) => each.deref() !== undefined);
  assert.equal(held.length, lists.length, 'requests hold their lists');
  sent.finish();
  gone.client.destroy();
  reader.ignore().socket.resume();
  ofRemoved.send(createRequest().slice(-1));
  assert.equal((await sent.client.next())?.status, 201);
  assert.equal((await ofRemoved.next())?.status, 201);
  await turnsUntil('nothing is left', async () => {
    // Fewer collections, each of which takes long.
    await turns(20);
    collectGarbage();
    return lists.every((each) => each.deref() === undefined);
  });
  reader.destroy();
});
