import assert from 'node:assert/strict';
import { it } from 'node:test';
import { variantB } from '../../src/service/todo/variant-b.ts';
import { LIST } from '../support/paths.ts';
import { rawClientFor } from '../support/raw.ts';
import { getRequest } from '../support/raw-requests.ts';
import type { Todo } from '../support/requests.ts';
import { startApp } from '../support/service.ts';
import { happens } from '../support/within.ts';
import { assertProblem, describeApi, uniqueWord } from './suite.ts';

describeApi('the list', 'The list', (api) => {
  // `test/unit/service/items/list-model.test.ts` compares random searches and orders with a model.
  const search = (text: string) => api.list(`?search=${encodeURIComponent(text)}`);

  it('finds a keyword in title or description, ignoring case', async () => {
    const word = uniqueWord();
    const inTitle = await api.create({ title: `a ${word.toUpperCase()} b` });
    const inDescription = await api.create({ title: 'x', description: `${word}` });
    await api.create({ title: 'neither', description: 'of both' });
    assert.deepEqual(await search(word), [inTitle, inDescription]);
    assert.deepEqual(await search(word.slice(5, 20)), [inTitle, inDescription]);
  });

  it('returns everything for an absent, empty or blank keyword', async () => {
    await api.create();
    for (const query of [
      ...['?search', '?search=', '?search=%20%09', '?search=+', '?search=%E2%80%83'],
      ...['?search=%C2%85', '?', '?_=1'],
    ]) {
      assert.equal((await api.list(query)).length, (await api.list()).length, query);
    }
  });

  it('searches for U+FEFF, which is no white space in Unicode', async () => {
    const { id } = await api.create();
    const found = await api.list('?search=%EF%BB%BF');
    assert(found.every((item) => item.id !== id));
  });

  it('finds keywords of one and two characters, including white space around them', async () => {
    const created = await api.create({ title: '⌘ ⌥', description: `${uniqueWord()} ⍟\u00a0⍟` });
    assert(!(await search('  ⍟')).some(({ id }) => id === created.id));
    for (const keyword of ['⌘', '⍟', '⌘ ', ' ⍟', '\u00a0⍟']) {
      assert(
        (await search(keyword)).some(({ id }) => id === created.id),
        keyword,
      );
    }
  });

  it('refuses a repeated search, sort, limit or offset', async () => {
    for (const [name, value] of [
      ['search', 'x'],
      ['sort', 'id'],
      ['limit', '1'],
      ['offset', '0'],
    ]) {
      const answer = await api.client.get(`${api.collection}?${name}=${value}&${name}=${value}`);
      const { detail } = assertProblem(answer, 400, 'invalid-parameter');
      assert.equal(detail, `${name} must not be repeated`);
    }
  });

  it('explains why an order is not possible', async () => {
    const detailOf = async (sort: string) => {
      const answer = await api.client.get(`${api.collection}?sort=${sort}`);
      return assertProblem(answer, 400, 'invalid-parameter').detail;
    };
    assert.match(await detailOf('titel'), /; did you mean title\?$/);
    assert.match(await detailOf('completed.ignoreCase'), /text fields may end in \.ignoreCase$/);
  });
});

it('a list that is being sent shows one moment, whatever is written meanwhile', async (test) => {
  const item = { title: 'x', description: '😀'.repeat(1000), completed: false, priority: 3 };
  const seed = Array.from({ length: 2_000 }, () => item);
  const { client, port } = await startApp(test, variantB, { seed });
  const reader = await rawClientFor(test, port);
  reader.send(getRequest(LIST));
  await happens(reader.socket, 'data');
  reader.socket.pause();
  const changed = await client.patch(`${LIST}?id.gte=1`, { description: '', completed: true });
  assert.equal(changed.text, `{"updated":${seed.length}}`);
  const deleted = await client.delete(`${LIST}?id.gt=1000`);
  assert.equal(deleted.text, `{"deleted":${seed.length - 1000}}`);
  reader.socket.resume();
  const list: readonly Todo[] = JSON.parse((await reader.next())?.text ?? '[]');
  assert.equal(list.length, seed.length);
  assert(list.every(({ completed }) => !completed));
});
