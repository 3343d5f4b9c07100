import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { variantB } from '../../src/service/todo/variant-b.ts';
import { LIST } from '../support/paths.ts';
import { rawClientFor } from '../support/raw.ts';
import { getRequest } from '../support/raw-requests.ts';
import type { Todo } from '../support/requests.ts';
import { startApp } from '../support/service.ts';
import { assertProblem, describeApi, uniqueWord } from './suite.ts';

describeApi('the list', 'The list', (api) => {
  const titles = async (query: string) => (await api.list(query)).map(({ title }) => title);
  const search = (text: string) => api.list(`?search=${encodeURIComponent(text)}`);

  it('returns all items by ascending id', async () => {
    const created = [await api.create(), await api.create(), await api.create()];
    const all = await api.list();
    const ids = all.map(({ id }) => id);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    );
    for (const todo of created)
      assert.deepEqual(
        all.find(({ id }) => id === todo.id),
        todo,
      );
  });

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
      '?search',
      '?search=',
      '?search=%20%09',
      '?search=+',
      '?search=%E2%80%83',
      '?search=%C2%85',
      '?',
      '?_=1',
    ]) {
      assert.equal((await api.list(query)).length, (await api.list()).length, query);
    }
  });

  it('searches for U+FEFF, which is no white space in Unicode', async () => {
    const { id } = await api.create();
    const found = await api.list('?search=%EF%BB%BF');
    assert(found.every((item) => item.id !== id));
  });

  it('folds case as Unicode does, without normalising', async () => {
    const word = uniqueWord();
    for (const [stored, keyword, found] of [
      ['straße', 'STRASSE', true],
      ['ΟΔΟΣΑ', 'οδος', true],
      ['İstanbul', 'i̇stanbul', true],
      ['ISTANBUL', 'ıstanbul', false],
      ['𐐀', '𐐨', true],
      ['e\u0301', '\u00e9', false],
    ] as const) {
      await api.create({ title: `${word} ${stored}` });
      const hits = await search(`${word} ${keyword}`);
      assert.equal(
        hits.some(({ title }) => title === `${word} ${stored}`),
        found,
        `search for ${keyword} in ${stored}`,
      );
    }
  });

  it('treats %, _ and regular expression syntax literally', async () => {
    const word = uniqueWord();
    const special = ['100%', 'a_b', 'a.b', '[y]', '\\d', '|', '"quoted"'];
    for (const text of special) await api.create({ title: `${word}${text}` });
    for (const text of special) {
      assert.deepEqual(
        (await search(`${word}${text}`)).map(({ title }) => title),
        [`${word}${text}`],
      );
    }
    assert.deepEqual(await search(`${word}%`), []);
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

  if (api.isDescriptionNullable) {
    it('does not match a null description', async () => {
      const { id } = await api.create({ title: 'x', description: null });
      assert(!(await search('null')).some((todo) => todo.id === id));
    });
  }

  it('decodes + as a space', async () => {
    const word = uniqueWord();
    await api.create({ title: `${word} one` });
    await api.create({ title: `${word} two` });
    assert.deepEqual(await titles(`?search=${word}+one`), [`${word} one`]);
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

  it('reflects updates and deletes at once', async () => {
    const word = uniqueWord();
    const { id } = await api.create({ title: word });
    await api.client.put(api.itemPath(id), { title: 'other', description: `in ${word} here` });
    assert.deepEqual(
      (await search(word)).map((todo) => todo.title),
      ['other'],
    );
    await api.client.put(api.itemPath(id), { description: '' });
    assert.deepEqual(await search(word), []);
    await api.client.put(api.itemPath(id), { title: word });
    assert.equal((await search(word)).length, 1);
    await api.client.delete(api.itemPath(id));
    assert.deepEqual(await search(word), []);
  });

  it('sorts by fields in either direction, and by id on ties', async () => {
    const word = uniqueWord();
    for (const [title, priority] of [
      ['b', 1],
      ['a', 2],
      ['c', 2],
      ['a', 1],
    ] as const) {
      await api.create({ title: `${word} ${title}`, priority });
    }
    const sorted = async (sort: string) =>
      (await api.list(`?search=${word}&sort=${sort}`)).map(
        ({ title, priority }) => `${title.at(-1)}${priority}`,
      );
    assert.deepEqual(await sorted('id'), ['b1', 'a2', 'c2', 'a1']);
    assert.deepEqual(await sorted('-id'), ['a1', 'c2', 'a2', 'b1']);
    assert.deepEqual(await sorted('priority'), ['b1', 'a1', 'a2', 'c2']);
    assert.deepEqual(await sorted('-priority,title,priority'), ['a2', 'c2', 'a1', 'b1']);
  });

  it('sorts by case foldings alone with ignoreCase, and then by the next key', async () => {
    const word = uniqueWord();
    for (const end of ['MILK', 'milk', 'Straße', 'STRASSE', 'bread']) {
      await api.create({ title: `${word} ${end}` });
    }
    const sorted = async (sort: string) =>
      (await titles(`?search=${word}&sort=${sort}`)).map((title) => title.split(' ')[1]);
    assert.deepEqual(await sorted('title.ignoreCase'), [
      ...['bread', 'MILK', 'milk', 'Straße', 'STRASSE'],
    ]);
    assert.deepEqual(await sorted('-title.ignoreCase,title'), [
      ...['STRASSE', 'Straße', 'MILK', 'milk', 'bread'],
    ]);
    assert.deepEqual(await sorted('title.ignoreCase,-title'), [
      ...['bread', 'milk', 'MILK', 'Straße', 'STRASSE'],
    ]);
  });

  it('explains why an order is not possible', async () => {
    const detailOf = async (sort: string) => {
      const answer = await api.client.get(`${api.collection}?sort=${sort}`);
      return assertProblem(answer, 400, 'invalid-parameter').detail;
    };
    assert.match(await detailOf('titel'), /; did you mean title\?$/);
    assert.match(await detailOf('completed.ignoreCase'), /text fields may end in \.ignoreCase$/);
  });

  it('returns the part of the list that limit and offset select', async () => {
    const word = uniqueWord();
    for (let n = 0; n < 5; n++) await api.create({ title: `${word} ${n}` });
    const part = async (query: string) =>
      (await titles(`?search=${word}&${query}`)).map((title) => title.at(-1));
    assert.deepEqual(await part('limit=2'), ['0', '1']);
    assert.deepEqual(await part('limit=2&offset=3'), ['3', '4']);
    assert.deepEqual(await part('offset=4'), ['4']);
    assert.deepEqual(await part('limit=0'), []);
    assert.deepEqual(await part('offset=99'), []);
    assert.deepEqual(await part('sort=-title&limit=1'), ['4']);
  });
});

it('a list that is being sent shows one moment, whatever is written meanwhile', async (test) => {
  const item = { title: 'x', description: '😀'.repeat(1000), completed: false, priority: 3 };
  const seed = Array.from({ length: 2_000 }, () => item);
  const { client, port } = await startApp(test, variantB, { seed });
  const reader = await rawClientFor(test, port);
  reader.send(getRequest(LIST));
  await once(reader.socket, 'data');
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
