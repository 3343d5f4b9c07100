import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { readDocument } from '../../../src/web-page/client/api/document.ts';
import type { Field } from '../../../src/web-page/client/api/field.ts';
import { createService } from '../../../src/web-page/client/api/service.ts';
import { Client } from '../../support/client.ts';
import { startApp } from '../../support/service.ts';
import { manyFields } from './many-fields.ts';

const namesOf = (fields: readonly Field[]) => fields.map(({ name }) => name);

async function serviceOf(test: TestContext) {
  const { baseUrl } = await startApp(test, manyFields, {});
  const client = new Client(baseUrl);
  test.after(() => client.close());
  const document = (await client.get('/openapi.json')).json<unknown>();
  return createService(readDocument(document), () => Promise.reject(new Error('not sent')));
}

describe("the page's data about the service", () => {
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

  it('has a name for an item without a visible character', async (test) => {
    const service = await serviceOf(test);
    const nameOf = (title: string) => service.readItem(JSON.stringify({ id: 7, title })).name;
    const empty = ['', '\u200b\u200d', '\u3164', '\u2800', '\u00ad\ufe0f', '\u202e', ' \t\u3000'];
    for (const title of empty) assert.equal(nameOf(title), 'item 7', JSON.stringify(title));
    for (const title of ['.', '\u0301', '\ud83d\ude00', ' a']) assert.equal(nameOf(title), title);
  });
});
