import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import axe, { type RunOnly } from 'axe-core';
import type { BrowserContextOptions } from 'playwright-core';
import { eventually, hasFocus, openPage, type TodoPage } from './todo-page.ts';

/** The appearances of the page. */
const LOOKS: readonly (readonly [name: string, BrowserContextOptions])[] = [
  ['desktop light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['desktop dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
  ['phone light', { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true }],
  ['phone dark', { viewport: { width: 320, height: 640 }, colorScheme: 'dark', hasTouch: true }],
  ['forced colors', { viewport: { width: 800, height: 600 }, forcedColors: 'active' }],
];

const ALL_RULES: RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};

/** The rules whose results can differ between looks. */
const RULES_OF_LOOKS: RunOnly = { type: 'rule', values: ['color-contrast', 'target-size'] };

const LONG_WORD = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(4);

async function start(test: TestContext, look: BrowserContextOptions = {}) {
  const seed = [
    { title: 'Buy oat milk', description: 'Two litres, the barista kind', priority: 4 },
    { title: 'Call the dentist', priority: 2, completed: true },
    { title: '<b>Text</b> & more text', priority: 5 },
    { title: LONG_WORD },
  ];
  const env = { ADMIN_TOKEN: 'a-token' };
  const at = '/#token=a-token';
  const opened = await openPage(test, [], { seed, table: { maxRows: 6 }, look, env, at });
  await opened.todo.item('Buy oat milk').waitFor();
  return opened;
}

/** Asserts that a page is accessible, as far as a program can test. */
async function check(todo: TodoPage, look: string, state: string): Promise<void> {
  // The list fades while it is fetched again.
  await todo.isIdle();
  const { page } = todo;
  const isFirst = look === LOOKS[0]?.[0];
  const violations = await page.evaluate(
    async (runOnly) => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
      const results = await axe.run({ runOnly });
      return results.violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`),
      );
    },
    isFirst ? ALL_RULES : RULES_OF_LOOKS,
  );
  assert.deepEqual(violations, [], state);
  const excess = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
  assert(excess <= 0, `${state}: ${excess} px too wide`);
}

describe('the accessibility of the page', () => {
  for (const [name, look] of LOOKS) {
    it(`is accessible in every state: ${name}`, async (test) => {
      const { service, todo, page } = await start(test, look);
      await page.evaluate(axe.source);
      const isState = (state: string) => check(todo, name, state);
      await isState('list');

      await todo.newTitle.fill('Bread\nMilk\nTea');
      await page.getByRole('button', { name: 'Add 3 items' }).waitFor();
      await isState('several lines');
      await page.getByRole('button', { name: 'Details' }).click();
      await todo.newTitle.fill(' ');
      await page.getByLabel('Description', { exact: true }).fill('x'.repeat(1_001));
      await todo.newTitle.press('Enter');
      await page.locator('#composer').getByText('violates 2 rules').waitFor();
      await isState('errors at fields');
      await page.getByRole('button', { name: 'Details' }).click();

      const editor = await todo.edit('Buy oat milk');
      await isState('editor');
      await service.client.patch('/api/todos/1', { title: 'Buy soy milk', priority: 1 });
      await editor.getByLabel('Title').fill('Buy milk');
      await editor.getByRole('button', { name: 'Save' }).click();
      await page.getByText('This item was changed').waitFor();
      await isState('changed meanwhile');
      await editor.getByRole('button', { name: 'Discard my changes' }).click();
      await editor.getByRole('button', { name: 'Cancel' }).click();

      await page.getByRole('button', { name: 'Delete Call the dentist' }).click();
      await todo.undo.focus();
      await isState('undo');
      await todo.undo.click();
      await page.getByRole('link', { name: 'item 5' }).waitFor();
      await isState('restored');
      await page.getByRole('button', { name: 'Delete all done' }).click();
      await page.getByRole('dialog').waitFor();
      await isState('dialog');
      await page.keyboard.press('Escape');

      await todo.search.fill('nothing like it');
      await page.getByText('No items match.').waitFor();
      await isState('nothing found');
      await page.getByRole('link', { name: 'Show everything' }).click();

      const toggle = page.getByRole('button', { name: /^Desk/ });
      if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
      const refused = todo.exchanges.filter({ has: page.getByText('400', { exact: true }) });
      await todo.openExchange(refused);
      await refused
        .getByText(/common header/)
        .last()
        .click();
      await isState('traffic');
      for (const tab of ['Conditions', 'Reset', 'Lists']) {
        await page.getByRole('tab', { name: tab }).click();
        if (tab === 'Conditions') await page.getByRole('switch', { name: 'Late' }).click();
        if (tab === 'Conditions') await page.getByText('1 condition is on.').first().waitFor();
        await isState(tab);
        if (tab === 'Conditions') await page.getByRole('button', { name: 'End all' }).click();
      }
      await toggle.click();

      const operation = await todo.operation('createTodo');
      await operation.getByRole('button', { name: 'Send' }).click();
      await operation.locator('.start').nth(1).waitFor();
      await operation.getByText('Responses').click();
      await todo.operation('listTodos');
      await page.getByText(/more filters/).click();
      await isState('reference');

      await service.client.delete('/api/todos?id.gte=1');
      await page.getByText('Nothing to do yet.').waitFor();
      await isState('empty');
      await page.getByRole('button', { name: 'Add 3 sample items' }).click();
      await page.getByText('Added: 3 items').waitFor();

      await service.stop();
      await page.locator('#banner').getByText('Trying again').waitFor();
      await page.getByRole('checkbox', { name: 'Done: Buy milk' }).click();
      await page.getByText('may not have been made').waitFor();
      await page.evaluate(() => scrollTo(0, 0));
      await isState('offline');
    });
  }

  it('can be used by keyboard alone, and never loses the focus', async (test) => {
    const { service, todo, page } = await start(test);
    const focused = () =>
      page.evaluate(() => {
        const { activeElement: active } = document;
        const named = active?.getAttribute('aria-label') ?? active?.textContent ?? '';
        return active === document.body ? 'nothing' : named.trim() || (active?.id ?? '');
      });
    const tabTo = async (name: string) => {
      for (let stops = 0; stops < 60; stops++) {
        if ((await focused()) === name) return;
        await page.keyboard.press('Tab');
      }
      assert.fail(`Tab does not lead to ${name}`);
    };
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Skip to the list');
    await page.keyboard.press('Tab');
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await todo.item('By keyboard').waitFor();

    await tabTo('Done: Buy oat milk');
    await page.keyboard.press('Space');
    await eventually(async () => {
      const { completed } = (await service.client.get('/api/todos/1')).json();
      assert.equal(completed, true);
    });
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Edit Buy oat milk');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    await todo.item('Buy oat milk!').waitFor();
    await eventually(async () => assert.equal(await focused(), 'Edit Buy oat milk!'));

    // The arrow keys choose another priority.
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await eventually(async () => {
      assert.equal((await service.client.get('/api/todos/1')).json().priority, 2);
    });

    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Delete Buy oat milk!');
    await page.keyboard.press('Enter');
    await todo.item('Buy oat milk!').waitFor({ state: 'detached' });
    assert.equal(await focused(), 'Delete Call the dentist');
    await page.keyboard.press('Control+z');
    await todo.item('Buy oat milk!').waitFor();
    assert.equal(await focused(), 'Delete Call the dentist');
    await tabTo('Edit Buy oat milk!');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await focused(), 'Edit Buy oat milk!');
    await tabTo('Tick all open');
    await page.keyboard.press('Enter');
    await page.getByText('Ticked: 3 items').waitFor();
    await hasFocus(page.locator('#items'));

    await page.getByRole('tab', { name: 'Traffic' }).focus();
    await page.keyboard.press('ArrowRight');
    await hasFocus(page.getByRole('tab', { name: 'Conditions' }));
    for (let stops = 0; stops < 8; stops++) await page.keyboard.press('Tab');
    await hasFocus(page.getByRole('switch', { name: 'Slow' }));
    await page.keyboard.press('Space');
    await page.getByText('1 condition is on.').first().waitFor();
    await hasFocus(page.getByRole('switch', { name: 'Slow' }));
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.locator('#faults-json').getByText('3000').waitFor();
  });

  it('keeps the focus when the focused element goes', async (test) => {
    const { service, todo, page } = await start(test);
    await todo.openAt(`${service.baseUrl}/?id=1&priority.gte=1`);
    const list = page.locator('#items');
    for (const next of [page.locator('.chip'), list]) {
      await page.locator('.chip').first().press('Enter');
      await hasFocus(next);
    }
    await todo.openAt(`${service.baseUrl}/?id=1`);
    const editor = await todo.edit('Buy oat milk');
    const title = editor.getByLabel('Title');
    await title.fill('mine');
    await service.client.delete('/api/todos/1');
    await todo.shows([]);
    await title.press('Enter');
    await editor.getByRole('alert').filter({ hasText: 'was not found' }).waitFor();
    await hasFocus(title);
    assert.equal(await title.inputValue(), 'mine');
    await page.keyboard.press('Escape');
    await hasFocus(list);
  });

  it('announces changes to screen readers', async (test) => {
    const { todo, page } = await start(test);
    const announced = (text: string) =>
      page.locator('#announcer').getByText(text, { exact: true }).waitFor({ state: 'attached' });
    await todo.add('New');
    await announced('Added: New');
    await todo.search.fill('New');
    await announced('1 item');
    await page.getByRole('button', { name: 'Delete New' }).click();
    await page.getByRole('status').filter({ hasText: 'Deleted: New' }).waitFor();
    await todo.undo.click();
    await page.getByRole('status').filter({ hasText: 'Restored as item 6' }).waitFor();
    const operation = await todo.operation('listTodos');
    await operation.getByRole('button', { name: 'Send' }).click();
    await announced('The service responded with 200');
    assert.equal(await operation.getByRole('status').count(), 0);
  });

  it('prints nothing over the items, and shows no motion if the user prefers that', async (test) => {
    const { todo, page } = await start(test, { reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Delete Call the dentist' }).click();
    await todo.undo.waitFor();
    const bar = page.locator('#outcome');
    const name = await bar.evaluate((element) => getComputedStyle(element).animationName);
    assert.equal(name, 'none');
    await page.emulateMedia({ media: 'print' });
    for (const id of ['desk', 'outcome']) {
      assert.equal(await page.locator(`#${id}`).isVisible(), false, id);
    }
  });
});
