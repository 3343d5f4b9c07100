import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  resourceOfFile,
  resourceOfProgram,
} from '../../../src/service/resource/schema/resource-file.ts';
import { ROOT } from '../../support/folder.ts';
import { eventually, openPage } from './todo-page.ts';

type Json = Record<string, unknown>;

const NOTE = resourceOfFile(`${ROOT}examples/own-resource/note.schema.json`);

const NEW_YORK = { timezoneId: 'America/New_York' };
const PHONE = { viewport: { width: 320, height: 640 }, hasTouch: true, ...NEW_YORK };

describe('the page of an own resource', () => {
  for (const [name, look] of [
    ['a desktop', NEW_YORK],
    ['a phone', PHONE],
  ] as const) {
    it(`creates, edits, filters and sorts items on ${name}`, async (test) => {
      const { service, todo, page } = await openPage(test, [], { variant: NOTE, look });
      const stored = async () => (await service.client.get('/api/notes/1')).json<Json>();
      await page.getByRole('heading', { name: 'Notes', exact: true }).waitFor();
      await page.getByText('There are no notes yet.').waitFor();
      assert.equal(await page.title(), 'Note service');
      assert.equal(await page.getByRole('group', { name: 'Show' }).count(), 0);

      const composer = page.getByRole('form', { name: 'New note' });
      await composer.getByRole('button', { name: 'Details' }).click();
      await composer.getByLabel('Rating').fill('9.5');
      await composer.getByRole('textbox', { name: 'New note' }).fill('Tap');
      await composer.getByLabel('Tags').fill('["home", ');
      await composer.getByRole('button', { name: 'Add' }).click();
      await composer.getByText('must be at most 5').waitFor();
      await composer.getByText('must be an array, not').waitFor();
      await composer.getByLabel('Rating').fill('4.5');
      await composer.getByLabel('Tags').fill('["home", "tap"]');
      await composer.getByLabel('Body').fill('The tap drips.');
      await composer.getByLabel('Status').selectOption('published');
      await composer.getByLabel('Due at').fill('2026-12-24T18:00');
      await composer.getByLabel('Place').fill('{"city": "Ghent", "zip": "09000"}');
      await composer.getByRole('button', { name: 'Add' }).click();
      const row = todo.item('Tap');
      await row.getByText('The tap drips.').waitFor();
      const { createdAt, ...given } = await stored();
      assert.deepEqual(given, {
        id: 1,
        subject: 'Tap',
        body: 'The tap drips.',
        status: 'published',
        rating: 4.5,
        pinned: false,
        dueAt: '2026-12-24T23:00:00.000Z',
        tags: ['home', 'tap'],
        place: { city: 'Ghent', zip: '09000' },
      });
      const place = 'Place {"city":"Ghent","zip":"09000"}';
      for (const fact of ['Rating 4.5', 'Due at 2026-12-24 18:00', 'Tags ["home","tap"]', place]) {
        await row.getByText(fact).waitFor();
      }

      await page.getByRole('button', { name: 'Edit Tap' }).click();
      const editor = page.getByRole('dialog', { name: 'Edit note 1' });
      await editor.getByLabel('Rating').fill('');
      await editor.getByLabel('Due at').fill('');
      await editor.getByLabel('Pinned').selectOption('yes');
      await editor.getByLabel('Place').fill('{"city":"Bruges"}');
      await editor.getByRole('button', { name: 'Save' }).click();
      await editor.waitFor({ state: 'detached' });
      const { rating: _, ...others } = given;
      const changed = { ...others, pinned: true, dueAt: null, place: { city: 'Bruges' } };
      assert.deepEqual(await stored(), { ...changed, createdAt });

      await row.getByLabel('Status of Tap').selectOption('draft');
      await eventually(async () => assert.equal((await stored()).status, 'draft'));
      await page.getByRole('button', { name: 'Delete Tap' }).click();
      await todo.undo.click();
      await todo.item('Tap').waitFor();
      const restored = await (await service.client.get('/api/notes/2')).json<Json>();
      const { createdAt: again, ...values } = restored;
      assert.deepEqual(values, { ...changed, id: 2, status: 'draft' });
      assert.notEqual(again, undefined);

      await service.client.post('/api/notes', { subject: 'Book', rating: 2.5 });
      await service.client.post('/api/notes', { subject: 'Read', rating: 10e-2 });
      await page.getByLabel('Sort by').selectOption('rating');
      await page.getByRole('button', { name: 'Ascending' }).click();
      await todo.shows(['Book', 'Read', 'Tap']);
      await todo.filter('rating.lt', '2.5');
      await todo.shows(['Read']);
      const excess = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return scrollWidth - clientWidth;
      });
      assert(excess <= 0, `${excess} px too wide`);
    });
  }

  it('offers its examples, and says its words', async (test) => {
    const { todo, page } = await openPage(test, [], { variant: NOTE });
    await page.getByRole('button', { name: 'Add 3 sample notes' }).click();
    await todo.item('Read RFC 9110').waitFor();
    await page.locator('#count').getByText('3 notes').waitFor();
    await todo.search.fill('nothing has this');
    await page.getByText('No notes match.').waitFor();
  });

  it('has neither search nor title for items without a text, and ticks what is closed', async (test) => {
    const properties = {
      amount: { type: 'integer' },
      isClosed: { type: 'boolean', default: false },
    };
    const schema = { title: 'Bill', type: 'object', required: ['amount'], properties };
    const variant = resourceOfProgram(schema);
    const { service, todo, page } = await openPage(test, [], { variant });
    assert.equal(await todo.search.count(), 0);
    await page.getByLabel('Amount').fill('12');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Done: bill 1' }).check();
    await eventually(async () => {
      const stored = (await service.client.get('/api/bills/1')).json();
      assert.deepEqual(await stored, { id: 1, amount: 12, isClosed: true });
    });
    await page.getByRole('group', { name: 'Show' }).getByText('Open').click();
    await page.getByText('No bills match.').waitFor();
  });
});
