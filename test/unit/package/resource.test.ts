import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { InvalidInputError, startTodoService } from '../../../src/package/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NOTE_SCHEMA } from '../../support/notes.ts';

interface Note {
  subject: string;
  level: number;
  dueAt?: Date;
}

async function notesOf(url: string): Promise<readonly { dueAt?: string; id: number }[]> {
  return JSON.parse(await (await fetch(`${url}/api/notes`)).text());
}

it('a service of a resource starts from its schema or from a file, with items of its type', async (test) => {
  const file = join(temporaryFolder(), 'note.json');
  writeFileSync(file, JSON.stringify(NOTE_SCHEMA));
  for (const resource of [NOTE_SCHEMA, file]) {
    const seed: Note[] = [{ subject: 'a', level: 1, dueAt: new Date('2026-12-01T09:00:00Z') }];
    const service = await startTodoService<Note>({ resource, seed });
    test.after(() => service.stop());
    assert.equal((await notesOf(service.url))[0]?.dueAt, '2026-12-01T09:00:00.000Z');
    // @ts-expect-error: a note has a subject
    await assert.rejects(service.reset([{ level: 1 }]), InvalidInputError);
    await service.reset([{ subject: 'b', level: 2 }]);
    const list = await service.list('anna', { notes: seed, others: [] });
    assert.deepEqual(
      [await notesOf(list.url), await notesOf(service.url)].map(({ length }) => length),
      [1, 1],
    );
    await list.stop();
    await service.faults([{ route: '/api/notes/{id}', status: 503 }]);
    assert.equal((await fetch(`${service.url}/api/notes/1`)).status, 503);
  }
});

it('a resource without a type has items of any shape, which are checked at the start', async (test) => {
  const service = await startTodoService({
    resource: NOTE_SCHEMA,
    seed: [{ subject: 'a', level: 1 }],
  });
  test.after(() => service.stop());
  await assert.rejects(service.reset([{ subjekt: 'a' }]), (error) => {
    assert(error instanceof InvalidInputError);
    assert.deepEqual(
      error.violations.map(({ pointer, code }) => `${pointer} ${code}`),
      [...['#/0/level required', '#/0/subjekt unknown']],
    );
    return true;
  });
});

it('a resource that cannot be used rejects with all violations', async () => {
  const { title: _, ...untitled } = NOTE_SCHEMA;
  for (const [options, ...pointers] of [
    [{ resource: { ...untitled, allOf: [] } }, '#/allOf', '#/title'],
    [{ resource: '/none.json' }, '#'],
    [{ resource: 7 }, '#/resource'],
    [{ resource: [] }, '#/resource'],
    [{ resource: '' }, '#/resource'],
    [{ resource: NOTE_SCHEMA, variant: 'a' }, '#/variant'],
    [{ resource: NOTE_SCHEMA, env: { VARIANT: 'a' } }, '#/env'],
    [{ resource: NOTE_SCHEMA, env: { RESOURCE: 'note.json' } }, '#/resource'],
    [{ variant: 'a', env: { RESOURCE: 'note.json' } }, '#/variant'],
    [{ env: { VARIANT: 'a', RESOURCE: 'note.json' } }, '#/env'],
    [{ env: { RESOURCE: '/none.json' } }, '#'],
  ] as const) {
    await assert.rejects(startTodoService(Object(options)), (error) => {
      assert(error instanceof InvalidInputError, String(error));
      assert.deepEqual(
        error.violations.map(({ pointer }) => pointer),
        pointers,
      );
      return true;
    });
  }
});
