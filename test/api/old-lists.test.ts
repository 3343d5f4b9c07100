import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runToEnd } from '../../src/lib/steps.ts';
import type { ItemList } from '../../src/service/items/item-list.ts';
import { readSeed } from '../../src/service/items/seed.ts';
import { rulesOf } from '../../src/service/resource/definition.ts';
import { Items } from '../../src/service/store/items.ts';
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

/** Starts a service in whose memory for old lists two and a half of its lists fit. */
async function start(test: TestContext, length = 60) {
  const seed = seedOf(length);
  const items = new Items(variantB.fields);
  runToEnd(items.fill(seed));
  const env = { MAX_BYTES: String(2 * Math.floor(2.5 * items.table.bytes)) };
  const service = await startApp(test, variantB, { env, seed, isInProcess: true });
  const { base, control } = service.app;
  const requestsOf = (list: ItemList) => control.server.held.get(list) ?? 0;
  /** A client of the present list, whose request ends when it sends the last byte. */
  const hold = async () => {
    const client = await rawClientFor(test, service.port);
    const before = requestsOf(base.list);
    client.send(createRequest().slice(0, -1));
    await turnsUntil('it is taken up', () => requestsOf(base.list) > before);
    return { client, finish: () => client.send(createRequest().slice(-1)) };
  };
  return { ...service, base, requestsOf, hold, reset: () => control.lists.reset(base) };
}

it('above half of MAX_BYTES, requests that hold the oldest list and have changed nothing get 503', async (test) => {
  const { port, hold, reset } = await start(test);
  const idle = await rawClientFor(test, port);
  assert.equal((await idle.send(getRequest('/livez')).next())?.status, 200);
  const oldest = [await hold(), await hold()];
  await reset();
  const second = await hold();
  await reset();
  const third = await hold();
  // Two old lists fit.
  for (const { client } of oldest) assert.equal(client.hasEnded, false);
  await reset();
  const newest = await hold();
  for (const { client } of oldest) assert.equal((await client.next())?.status, 503);
  for (const { client, finish } of [second, third, newest]) {
    finish();
    assert.equal((await client.next())?.status, 201);
  }
  assert.equal((await idle.send(getRequest(LIST)).next())?.status, 200);
});

it('old lists that no request holds any more do not count', async (test) => {
  const { hold, reset } = await start(test);
  const first = await hold();
  await reset();
  for (let i = 0; i < 5; i++) {
    const { client, finish } = await hold();
    await reset();
    finish();
    assert.equal((await client.next())?.status, 201);
  }
  first.finish();
  assert.equal((await first.client.next())?.status, 201);
});

it('an old list leaves nothing behind when its last request has ended, however it ends', async (test) => {
  // A list that is longer than what the system keeps for a client that does not read.
  const service = await start(test, 1_200);
  const { app, base, port, requestsOf, hold, reset } = service;
  const lists: WeakRef<object>[] = [];
  const replace = async () => {
    lists.push(new WeakRef(base.list), new WeakRef(base.list.items));
    await reset();
  };
  const [sent, gone] = [await hold(), await hold()];
  await replace();
  const reader = await RawClient.connect(port);
  reader.socket.pause();
  reader.send(getRequest(LIST));
  await turnsUntil('it is taken up', () => requestsOf(base.list) > 0);
  await replace();
  const ofRemoved = await rawClientFor(test, port);
  const remove = async () => {
    const { mount } = await app.control.lists.put('anna', { seedOf: () => seedOf(1) });
    lists.push(new WeakRef(mount), new WeakRef(mount.list));
    ofRemoved.send(createRequest({ path: `/lists/anna${LIST}` }).slice(0, -1));
    await turnsUntil('it is taken up', () => requestsOf(mount.list) > 0);
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
