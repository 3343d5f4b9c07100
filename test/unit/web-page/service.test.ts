import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pageItems } from '../../../src/service/todo/page-data.ts';
import type { Field } from '../../../src/web-page/client/api/field.ts';
import { createService } from '../../../src/web-page/client/api/service.ts';
import { manyFields } from './many-fields.ts';

const namesOf = (fields: readonly Field[]) => fields.map(({ name }) => name);

const data = { ...pageItems(manyFields), title: 'Todo service', version: '1.0.0' };
const service = createService(data, '', () => Promise.reject(new Error('not sent')));

describe("the page's data about the service", () => {
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
