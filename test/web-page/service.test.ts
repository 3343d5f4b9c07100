import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDocument } from '../../src/web-page/client/api/document.ts';
import type { ApiRequest, Send } from '../../src/web-page/client/api/exchange.ts';
import type { Field } from '../../src/web-page/client/api/field.ts';
import { createService } from '../../src/web-page/client/api/service.ts';
import { filterText } from '../../src/web-page/client/list/list-query.ts';
import { pathsOf } from '../support/paths.ts';
import { VARIANTS } from '../support/service.ts';
import { sendNothing, serviceOf } from './service-of.ts';

const namesOf = (fields: readonly Field[]) => fields.map(({ name }) => name);

describe('what the page knows of the service', () => {
  it('is the same roles of fields in each variant', async (test) => {
    for (const variant of VARIANTS) {
      const service = await serviceOf(test, variant);
      const { title, done, scale, details, facts, idName, collection, events } = service;
      const roles = ['title', 'completed', 'priority', 'description', 'id'];
      assert.deepEqual([title.name, done?.name, scale?.name, details?.name, idName], roles);
      const names = Object.keys(variant.fields);
      assert.deepEqual(
        namesOf(facts),
        names.filter((name) => !roles.includes(name)),
      );
      const { LIST, EVENTS, itemPath } = pathsOf(variant);
      assert.equal(collection, LIST);
      assert.equal(events, EVENTS);
      assert.equal(service.itemPath('7'), itemPath(7));
      assert.deepEqual(
        namesOf(service.creatable),
        names.filter((name) => variant.fields[name]?.create !== undefined),
      );
    }
  });

  it('is the kind of each field, and what values it may have', async (test) => {
    const { fields, creatable, editable, facts } = await serviceOf(test);
    const kinds = Object.fromEntries(
      editable.map(({ name, kind, isNullable }) => [name, kind + (isNullable ? ' or null' : '')]),
    );
    assert.deepEqual(kinds, {
      title: 'text',
      description: 'text or null',
      completed: 'boolean',
      priority: 'integer',
      owner: 'text',
      dueAt: 'timestamp or null',
      startAt: 'timestamp',
      starred: 'boolean',
      billable: 'boolean or null',
      effort: 'integer',
      points: 'integer',
      guests: 'integer or null',
      account: 'integer',
      budget: 'integer or null',
      place: 'text',
      notes: 'text or null',
    });
    const find = (wanted: string) =>
      fields.find(({ name }) => name === wanted) ?? assert.fail(wanted);
    assert.deepEqual(find('effort').steps, [0n, 1n, 2n, 3n]);
    assert.deepEqual(find('points').steps, []);
    assert.deepEqual(namesOf(editable.filter(({ isLong }) => isLong)), ['description', 'notes']);
    assert.deepEqual(namesOf(creatable.filter(({ isRequired }) => isRequired)), ['title', 'owner']);
    assert.equal(find('dueAt').label, 'Due at');
    assert.equal(find('dueAt').description, 'When it has to be done.');
    assert(namesOf(facts).includes('views'));
    assert(!namesOf(creatable).includes('views'));
  });

  it('reads items of any field, and compares all of them', async (test) => {
    const service = await serviceOf(test);
    const text = '{"id":9007199254740993,"title":"x","account":9007199254740995,"dueAt":null}';
    const item = service.readItem(text);
    assert.equal(item.id, '9007199254740993');
    assert.equal(item.values.account, 9007199254740995n);
    assert.equal(item.values.dueAt, null);
    const other = service.readItem(text.replace('995', '997').replace('null', '"2026-12-24"'));
    assert.deepEqual(namesOf(service.differences(item, other)), ['dueAt', 'account']);
    assert.deepEqual(service.differences(item, service.readItem(text)), []);
  });

  it('is what to call an item without a visible character', async (test) => {
    const service = await serviceOf(test);
    const nameOf = (title: string) => service.readItem(JSON.stringify({ id: 7, title })).name;
    const empty = ['', '\u200b\u200d', '\u3164', '\u2800', '\u00ad\ufe0f', '\u202e', ' \t\u3000'];
    for (const title of empty) assert.equal(nameOf(title), 'item 7', JSON.stringify(title));
    for (const title of ['.', '\u0301', '\ud83d\ude00', ' a']) assert.equal(nameOf(title), title);
  });

  it('is a filter in words', async (test) => {
    const service = await serviceOf(test);
    const texts = {
      'priority.gte': '4',
      'title.containsIgnoreCase': 'milk',
      'dueAt.isNull': 'true',
      priority: '4',
      'dueAt.notIn': '2026-12-24',
      'priority.near': '4',
      where: '{}',
    };
    assert.deepEqual(
      Object.entries(texts).map(([name, value]) => filterText(service, [name, value])),
      [
        'Priority \u2265 4',
        'Title contains ignore case milk',
        'Due at is null',
        'Priority = 4',
        'Due at not in 2026-12-24',
        'Priority near 4',
        'where={}',
      ],
    );
  });

  it('is from the paths of the document, whatever they are', () => {
    const schema = { $ref: '#/components/schemas/Task' };
    const content = { 'application/json': { schema } };
    const operation = { responses: { 200: { content } }, requestBody: { content } };
    const service = createService(
      readDocument({
        paths: {
          '/': { get: operation, post: operation, delete: operation },
          '/{key}': { get: operation, patch: operation, parameters: [] },
        },
        components: {
          schemas: {
            Task: {
              required: ['name'],
              properties: { key: { type: 'integer' }, name: { type: 'string', maxLength: 9 } },
            },
          },
        },
      }),
      sendNothing,
    );
    assert.equal(service.collection, '/');
    assert.equal(service.itemPath('a/b'), '/a%2Fb');
    assert.deepEqual(
      [service.idName, service.title.name, service.done],
      ['key', 'name', undefined],
    );
    assert.equal(service.events, undefined);
    assert.equal(service.readItem('{"key":3,"name":"x"}').id, '3');
  });

  it('needs items', () => {
    assert.throws(
      () => createService(readDocument({ paths: {} }), sendNothing),
      /describes no items/,
    );
  });
});

describe('requests of the page for several items', () => {
  /** A service of which each request is answered with as many items as it has titles. */
  function serviceSending(sent: ApiRequest[]) {
    const items = { schema: { $ref: '#/components/schemas/Item' } };
    const operation = (schema: object) => ({
      responses: { 200: { content: { 'application/json': items } } },
      requestBody: { content: { 'application/json': schema } },
    });
    const document = readDocument(
      {
        paths: {
          '/items': { get: operation({}), post: operation(items) },
          '/items/batch': { post: operation({ schema: { type: 'array', maxItems: 100 } }) },
          '/items/{id}': { patch: operation(items) },
        },
        components: {
          schemas: {
            Item: { required: ['name'], properties: { id: {}, name: { type: 'string' } } },
          },
        },
      },
      '/base',
    );
    const send: Send = (request) => {
      sent.push(request);
      return Promise.resolve({
        ...{ request, status: 201, headers: new Headers(), text: String(request.body) },
        ...{ durationMs: 1, failure: '', isOpen: false, isStream: false },
      });
    };
    return createService(document, send);
  }

  const named = (count: number, name = 'x') => Array.from({ length: count }, () => ({ name }));

  it('create as many of the first items as one request can', async () => {
    const sent: ApiRequest[] = [];
    const service = serviceSending(sent);
    const countOf = async (items: readonly { name: string }[]) =>
      (await service.create(items)).length;
    assert.equal(await countOf(named(1)), 1);
    assert.equal(await countOf(named(2)), 2);
    assert.equal(await countOf(named(250)), 100);
    const long = await countOf(named(100, '\u20ac'.repeat(1_000)));
    assert.equal(long, 19);
    assert.equal(await countOf(named(2, 'x'.repeat(90_000))), 1);
    assert.deepEqual(
      sent.map(({ path }) => path),
      ['/base/items', ...Array(3).fill('/base/items/batch'), '/base/items'],
    );
    for (const { body } of sent.slice(0, -1)) assert(Buffer.byteLength(String(body)) < 65_536);
  });

  it('select as many of the first items as one request can', () => {
    const { selection } = serviceSending([]);
    assert.deepEqual(selection(['7']), { path: '/base/items?id.in=7', count: 1 });
    const numbers = Array.from({ length: 2_500 }, (_, index) => String(index + 1));
    assert.equal(selection(numbers).count, 1_000);
    const long = numbers.map((number) => `9${number.padStart(18, '0')}`);
    const { path, count } = selection(long);
    assert.equal(count, 300);
    assert.equal(path, `/base/items?id.in=${long.slice(0, 300)}`);
    assert(path.length < 8_192);
  });
});
