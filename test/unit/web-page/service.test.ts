import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { variantA } from '../../../src/service/todo/variant-a.ts';
import { variantB } from '../../../src/service/todo/variant-b.ts';
import { Exchange, RequestError, statusOf } from '../../../src/web-page/client/api/api-request.ts';
import type { Field } from '../../../src/web-page/client/api/item-field.ts';
import { createService, type Item } from '../../../src/web-page/client/api/service.ts';
import { manyFields } from './many-fields.ts';
import { pageDataOf, startPageService } from './running-service.ts';

const namesOf = (fields: readonly Field[]) => fields.map(({ name }) => name);
const idsOf = (items: readonly Item[]) => items.map(({ id }) => id);
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ title: `item ${index + 1}` }));

describe("the page's data about items", () => {
  const notSent = () => Promise.reject(new Error('not sent'));
  const service = createService(pageDataOf(manyFields), '/base', notSent);

  it('is that of the fields of the variant', () => {
    const { fields, title, details, done, choice, facts, creatable, editable } = service;
    assert.deepEqual(namesOf(fields), Object.keys(manyFields.fields));
    assert.deepEqual(
      [title, done, choice].map((field) => field?.name),
      ['title', 'completed', 'priority'],
    );
    assert.deepEqual(details, ['description', 'owner', 'notes']);
    const ofService = ['createdAt', 'views'];
    const own = namesOf(fields).slice(6);
    const others = own.filter((name) => !details.includes(name));
    assert.deepEqual(namesOf(facts), ['createdAt', ...others]);
    const isOfClient = (name: string) => name !== 'id' && !ofService.includes(name);
    assert.deepEqual(namesOf(editable), namesOf(fields).filter(isOfClient));
    const isCreatable = (name: string) => isOfClient(name) && name !== 'completed';
    assert.deepEqual(namesOf(creatable), namesOf(fields).filter(isCreatable));
    const named = (name: string) => fields.find((field) => field.name === name) ?? assert.fail();
    assert.deepEqual(named('effort').choices, [0, 1, 2, 3]);
    assert.deepEqual([named('points').choices, named('id').choices], [[], []]);
    assert.deepEqual(
      ['owner', 'title', 'description', 'notes', 'points'].map((name) => named(name).isLong),
      [undefined, undefined, true, true, undefined],
    );
    assert.deepEqual([named('dueAt').kind, named('account').kind], ['timestamp', 'integer']);
    assert.deepEqual([named('dueAt').isNullable, named('startAt').isNullable], [true, undefined]);
    assert.equal(named('createdAt').label, 'Created at');
    assert.deepEqual(named('starred').operators, ['eq', 'ne', 'in', 'notIn']);
    assert(named('dueAt').operators.includes('isNull'));
  });

  it('has paths below those of the page', () => {
    assert.deepEqual([service.collection, service.events], ['/base/api/todos', undefined]);
    const data = { ...pageDataOf(variantA), events: '/api/todos/events' };
    assert.equal(createService(data, '/base', notSent).events, '/base/api/todos/events');
  });

  it('reads items of any field, and compares all of them', () => {
    const text = '{"id":9007199254740993,"title":"x","account":9007199254740995,"dueAt":null}';
    const changed = text.replace('995', '997').replace('null', '"2026-12-24"');
    const items = service.readItems(`[${text},${changed},${text}]`);
    const [item = assert.fail(), other = assert.fail(), same = assert.fail()] = items;
    assert.equal(item.id, '9007199254740993');
    assert.equal(item.values.account, 9007199254740995n);
    assert.equal(item.values.dueAt, null);
    assert.deepEqual(namesOf(service.differences(item, other)), ['dueAt', 'account']);
    assert.deepEqual(service.differences(item, same), []);
  });

  it('has a name for an item with a blank title', () => {
    const titles = ['', ' \t\u3000', ' a'].map((title) => ({ id: 7, title }));
    const names = service.readItems(JSON.stringify(titles)).map(({ name }) => name);
    assert.deepEqual(names, ['item 7', 'item 7', ' a']);
  });
});

describe("the page's requests for items", () => {
  it('create one item, or as many as fit into a request', async (test) => {
    const { service, sent } = await startPageService(test, variantB);
    const one = await service.create([{ title: 'one', description: null }]);
    assert.deepEqual(
      one.map(({ name, values }) => [name, values.description]),
      [['one', null]],
    );
    const many = await service.create(numbered(101));
    assert.deepEqual([many.length, many.at(-1)?.id], [100, '101']);
    assert.equal((await service.create(service.samples)).length, 3);
    assert.deepEqual(sent, [
      'POST /api/todos Content-Type',
      'POST /api/todos/batch Content-Type',
      'POST /api/todos/batch Content-Type',
    ]);
  });

  it('change and delete an item only as the user saw it', async (test) => {
    const { service, client } = await startPageService(test, variantB);
    await service.create([{ title: 'one' }]);
    const seen = await service.fetchItem('1');
    await client.patch('/api/todos/1', { title: 'theirs' });
    const isRefused = (error: unknown) => statusOf(error) === 412;
    await assert.rejects(service.patch('1', { title: 'mine' }, seen.tag), isRefused);
    await assert.rejects(service.remove(seen), isRefused);
    const current = await service.fetchItem('1');
    assert.equal(current.name, 'theirs');
    const changed = await service.patch('1', { title: 'mine' }, current.tag);
    await assert.rejects(service.remove(current), isRefused);
    await service.remove(changed);
    assert.equal((await client.get('/api/todos')).text, '[]');
  });

  it('send a strong tag where a gateway has made it weak', async () => {
    const sent: string[] = [];
    const headers = new Headers({ ETag: 'W/"a.1"' });
    const { fetchItem, remove } = createService(pageDataOf(variantA), '', async (request) => {
      sent.push(JSON.stringify(request.headers));
      return Object.assign(new Exchange(request), { headers, text: '{"id":1,"title":"x"}' });
    });
    await remove(await fetchItem('1'));
    assert.equal(sent.at(-1), '[["If-Match","\\"a.1\\""]]');
  });

  it('restore a deleted item with all values that a client can set', async (test) => {
    const seed = [{ title: 'one', description: null, priority: 5, completed: true }];
    const { service, bodies } = await startPageService(test, variantB, { seed });
    const deleted = await service.fetchItem('1');
    const restored = await service.restorer(deleted)();
    const { id, completed, createdAt, ...sent } = Object(bodies[0]);
    assert.deepEqual([id, completed, createdAt], [undefined, undefined, undefined]);
    assert.deepEqual([sent.title, sent.description, sent.priority], ['one', null, 5]);
    assert.deepEqual(Object(bodies[1]), { completed: true });
    assert.deepEqual(namesOf(service.differences(deleted, restored)), ['id', 'createdAt']);
    await service.restorer({ ...deleted, values: { ...deleted.values, completed: false } })();
    assert.equal(bodies.length, 3, 'an open item needs no PATCH');
  });

  it('restore an item by repeating only the step that failed', async (test) => {
    const failing = ['POST', 'PATCH'];
    const seed = [{ title: 'one', completed: true }];
    const { service, client } = await startPageService(test, variantB, { seed }, (line) => {
      if (!line.startsWith(failing[0] ?? 'none')) return;
      failing.shift();
      throw new RequestError(503);
    });
    const restore = service.restorer(await service.fetchItem('1'));
    for (let times = 0; times < 2; times++) await assert.rejects(restore(), { status: 503 });
    assert.equal((await restore()).id, '2');
    const isDone = /^\[\{"id":1,.*"completed":true.*\{"id":2,.*"completed":true[^{]*$/;
    assert.match((await client.get('/api/todos')).text, isDone);
  });

  it('change, count and delete the items that a target selects', async (test) => {
    const { service, client } = await startPageService(test, variantA, { seed: numbered(3) });
    const some = `${service.collection}?id.in=1,3`;
    assert.equal(await service.count(some), 2);
    assert.equal(await service.patchAll(some, { completed: true }), 2);
    assert.equal(await service.removeAll(`${service.collection}?completed=true`), 2);
    assert.equal((await client.get('/api/todos')).json<unknown[]>().length, 1);
  });

  it('report the violations of several items at their fields, and which item it is', async (test) => {
    const { service } = await startPageService(test, variantB);
    const failed = service.create([{ title: 'x' }, { title: '' }]);
    await assert.rejects(failed, ({ status, message, violations }: RequestError) => {
      assert.deepEqual([status, violations[0]?.pointer], [400, '#/title']);
      assert.match(violations[0]?.detail ?? '', /^item 2: /);
      assert.match(message, /violates/);
      return true;
    });
  });
});

describe('undoing the creation of several items', () => {
  const titles = (text: string) => JSON.parse(text).map(({ title }: { title: string }) => title);

  it('deletes them, each hundred by one request that checks the tag', async (test) => {
    const { service, sent, client } = await startPageService(test, variantB);
    const created = [
      ...(await service.create(numbered(100))),
      ...(await service.create(numbered(20))),
    ];
    await client.delete('/api/todos/7');
    sent.length = 0;
    assert.equal(await service.removeUnchanged(created), 0);
    assert.equal((await client.get('/api/todos')).text, '[]');
    const lists = [created.slice(0, 100), created.slice(100)].map((items) => idsOf(items).join());
    assert.deepEqual(
      sent,
      lists.flatMap((ids) => [
        `GET /api/todos?id.in=${ids} Accept`,
        `DELETE /api/todos?id.in=${ids} If-Match`,
      ]),
    );
  });

  it('keeps and counts the items that have changed since', async (test) => {
    const { service, client } = await startPageService(test, variantB);
    const created = [
      ...(await service.create(numbered(100))),
      ...(await service.create(numbered(2))),
    ];
    for (const id of [2, 101]) await client.patch(`/api/todos/${id}`, { completed: true });
    for (let times = 0; times < 2; times++) {
      assert.equal(await service.removeUnchanged(created), 2);
      assert.deepEqual(titles((await client.get('/api/todos')).text), ['item 2', 'item 1']);
    }
  });

  it('looks again if the list changes before the deletion', async (test) => {
    let changes = 0;
    let limit = 1;
    const { service, client, sent } = await startPageService(test, variantB, {}, async (line) => {
      if (!line.startsWith('DELETE') || changes === limit) return;
      changes++;
      await client.patch('/api/todos/1', { title: `theirs ${changes}` });
    });
    const created = await service.create(numbered(2));
    assert.equal(await service.removeUnchanged(created), 1);
    assert.deepEqual(titles((await client.get('/api/todos')).text), ['theirs 1']);

    const others = await service.create(numbered(2));
    limit = Number.POSITIVE_INFINITY;
    sent.length = 0;
    await assert.rejects(service.removeUnchanged(others), (error) => statusOf(error) === 412);
    assert.equal(sent.length, 6);
  });

  it('tries nothing again after another failure', async (test) => {
    const { service, sent } = await startPageService(test, variantB, {}, (line) => {
      if (line.startsWith('DELETE')) throw new RequestError(503);
    });
    const created = await service.create(numbered(2));
    await assert.rejects(service.removeUnchanged(created), (error) => statusOf(error) === 503);
    assert.equal(sent.filter((line) => line.startsWith('DELETE')).length, 1);
  });
});
