import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, test } from 'node:test';
import { startTodoService } from 'todo-service';

const seed = JSON.parse(readFileSync(new URL('notes.json', import.meta.url), 'utf8'));
const resource = new URL('note.schema.json', import.meta.url).pathname;

let service;
before(async () => {
  service = await startTodoService({ resource, seed });
});
beforeEach(() => service.reset());
after(() => service.stop());

async function ask(method, path, value) {
  const headers = { 'content-type': 'application/json' };
  const body = value && JSON.stringify(value);
  const response = await fetch(service.url + path, { method, ...(body && { headers, body }) });
  return { status: response.status, value: await response.json() };
}

test('a new note has its defaults, and lacks what is not required', async () => {
  const { status, value } = await ask('POST', '/api/notes', { subject: 'Book a table' });
  const { createdAt, ...note } = value;
  assert.equal(status, 201);
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const defaults = { status: 'draft', pinned: false, tags: [] };
  assert.deepEqual(note, { id: 3, subject: 'Book a table', ...defaults });
});

test('all rules that a note breaks are reported at once', async () => {
  const note = { subject: '', status: 'gone', rating: 9.5, tags: ['a', 7], place: { zip: '1' } };
  const { status, value } = await ask('POST', '/api/notes', note);
  assert.equal(status, 400);
  assert.deepEqual(
    value.errors.map(({ pointer, code }) => `${pointer} ${code}`),
    [
      ...['#/subject min-length', '#/status value', '#/rating maximum', '#/tags/1 type'],
      ...['#/place/city required', '#/place/zip pattern'],
    ],
  );
});

test('notes are found by every property', async () => {
  const ids = async (query) => (await ask('GET', `/api/notes?${query}`)).value.map(({ id }) => id);
  assert.deepEqual(await ids('search=PLUMBER'), [1]);
  assert.deepEqual(await ids('rating.gte=4&status=published'), [2]);
  assert.deepEqual(await ids('rating.isNull=true'), [1]);
  assert.deepEqual(await ids('createdAt.lt=2026-11-21&sort=-id'), [1]);
});
