import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDocument } from '../../../src/web-page/client/api/document.ts';
import type { Field } from '../../../src/web-page/client/api/field.ts';
import { createService } from '../../../src/web-page/client/api/service.ts';
import { filterText } from '../../../src/web-page/client/list/list-query.ts';
import { sendNothing, serviceOf } from './service-of.ts';

const namesOf = (fields: readonly Field[]) => fields.map(({ name }) => name);

describe('what the page knows of the service', () => {
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
