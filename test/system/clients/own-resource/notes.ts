// Uses notes through the generated client, unmodified: notes.ts URL
import assert from 'node:assert/strict';
import { Configuration, NotesApi, ResponseError } from './client/index.ts';

const [basePath = ''] = process.argv.slice(2);
const notes = new NotesApi(new Configuration({ basePath }));

const dueAt = new Date('2026-12-01T09:00:00+01:00');
const note = await notes.createNote({
  createNote: { subject: 'Call the plumber', tags: ['home'], dueAt, rating: 4.5 },
});
assert.deepEqual([note.id, note.status, note.tags, note.rating], [1, 'draft', ['home'], 4.5]);
assert.equal(note.dueAt?.getTime(), dueAt.getTime());
assert(note.createdAt instanceof Date);
assert.equal(note.body, undefined);

await notes.createNote({ createNote: { subject: 'Book', place: { city: 'Ghent', zip: '09000' } } });
const changed = await notes.patchNote({ id: 2, patchNote: { place: { zip: '09001' } } });
assert.deepEqual(changed.place, { city: 'Ghent', zip: '09001' });
const found = await notes.listNotes({ search: 'PLUMBER', ratingGte: 4, dueAtLt: new Date('2027') });
assert.deepEqual(
  found.map(({ id }) => id),
  [1],
);
await assert.rejects(notes.createNote({ createNote: { subject: '' } }), ResponseError);
assert.equal((await notes.patchNotes({ patchNote: { pinned: true }, idGte: 1 })).updated, 2);
assert.equal((await notes.deleteNotes({ idGte: 1 })).deleted, 2);
