import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { App } from '../../src/service/app.ts';
import type { FieldValues } from '../../src/service/resource/field.ts';
import type { Variant } from '../../src/service/todo/variant.ts';
import { variantB } from '../../src/service/todo/variant-b.ts';
import { Client, type Todo } from '../support/client.ts';
import { freePorts } from '../support/ports.ts';
import { appOf, type TestOptions } from '../support/service.ts';
import { NAMES } from './browser.ts';

/**
 * The variant of most tests: the one with more kinds of fields. The page is the same for all
 * (`page-fields.test.ts`).
 */
export const VARIANT: Variant = variantB;

/** How long to wait for anything, in milliseconds: long enough for a machine that is busy. */
const PATIENCE_MS = 30_000;

/** A service that can be restarted at the same address. */
export class Service {
  readonly client: Client;
  readonly baseUrl: string;
  readonly #variant: Variant;
  readonly #options: TestOptions;
  readonly #port: number;
  #app: App;

  private constructor(variant: Variant, options: TestOptions, port: number) {
    this.#variant = variant;
    this.#options = options;
    this.#app = this.#newApp(options);
    this.#port = port;
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.client = new Client(this.baseUrl);
  }

  /** Starts a service that stops with its test. */
  static async start(
    test: TestContext,
    options: TestOptions = {},
    variant = VARIANT,
  ): Promise<Service> {
    const [port = 0] = await freePorts(1);
    const service = new Service(variant, options, port);
    await service.#app.listen(port, '127.0.0.1');
    test.after(async () => {
      await service.client.close();
      await service.stop();
    });
    return service;
  }

  async stop(): Promise<void> {
    await this.#app.stop(0);
  }

  /** Restarts the service, which keeps only the seed. */
  async restart(options = this.#options): Promise<void> {
    this.#app = this.#newApp(options);
    await this.#app.listen(this.#port, '127.0.0.1');
  }

  /** Resets the service to its seed, which sends reset to event streams. */
  async reset(): Promise<void> {
    await this.#app.control.resets.reset();
  }

  #newApp(options: TestOptions): App {
    return appOf(this.#variant, { ...options, isInProcess: true });
  }

  async create(values: Partial<Todo> & FieldValues): Promise<Todo> {
    const answer = await this.client.post('/api/todos', { title: 'x', ...values });
    assert.equal(answer.status, 201, answer.text);
    return answer.json();
  }

  async titles(): Promise<string[]> {
    const todos = (await this.client.get('/api/todos')).json<Todo[]>();
    return todos.map(({ title }) => title);
  }
}

declare global {
  /** The timers of the page that are held, in milliseconds. */
  var heldMs: number[];
  /** Returns whether there were any. */
  function fireTimers(ms: number): boolean;
}

/**
 * Runs in the page: timers that give people time, or end silence, fire when a test says so, however
 * long its steps take. Others fire by themselves: the page may wait as long for a slow machine.
 */
function holdTimers(): void {
  const { setTimeout, clearTimeout } = globalThis;
  const held = new Map<unknown, { readonly ms: number; run(): void }>();
  const never = 2 ** 31 - 1;
  globalThis.heldMs = [5_000, 6_000, 40_000];
  Object.assign(globalThis, {
    setTimeout(run: () => void, ms = 0) {
      const isHeld = heldMs.includes(ms);
      const id = setTimeout(run, isHeld ? never : ms);
      if (isHeld) held.set(id, { ms, run });
      return id;
    },
    clearTimeout(id: number) {
      held.delete(id);
      clearTimeout(id);
    },
    fireTimers(ms: number) {
      const due = [...held].filter(([, timer]) => timer.ms === ms);
      for (const [id] of due) held.delete(id);
      for (const [, { run }] of due) run();
      return due.length > 0;
    },
  });
}

/** Items for a service to start with. */
export function seedOf(titles: readonly string[]): readonly FieldValues[] {
  return titles.map((title) => ({ title }));
}

/** The service's page, with elements found the way users find them. */
export class TodoPage {
  readonly page: Page;
  readonly items: Locator;
  readonly newTitle: Locator;
  readonly search: Locator;
  readonly count: Locator;
  readonly exchanges: Locator;
  readonly undo: Locator;

  private constructor(page: Page) {
    this.page = page;
    this.items = page.locator('#items > li');
    this.newTitle = page.getByRole('textbox', { name: 'New item' });
    this.search = page.getByRole('searchbox', { name: 'Search' });
    this.count = page.locator('#count');
    this.exchanges = page.locator('#exchanges > li');
    this.undo = page.getByRole('button', { name: 'Undo' });
  }

  /** Opens the page in its own context; an uncaught script error fails the test. */
  static async open(
    test: TestContext,
    browser: Browser,
    url: string,
    options: BrowserContextOptions = {},
    state = 'Live',
  ): Promise<TodoPage> {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript(NAMES);
    await context.addInitScript(holdTimers);
    const page = await context.newPage();
    test.after(async () => {
      // A request that its route lets go just as the test ends is nobody's failure.
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    });
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => {
      if (/policy|trusted/i.test(message.text())) faults.push(message.text());
    });
    test.after(() => assert.deepEqual(faults, []));
    const todo = new TodoPage(page);
    if (url !== 'about:blank') await todo.openAt(url, state);
    return todo;
  }

  /** Opens an address, and waits until the page shows a state. */
  async openAt(url: string, state = 'Live'): Promise<void> {
    await this.page.goto(url);
    await this.page.getByText(state, { exact: true }).waitFor();
  }

  /** Holds the timers of the page of so many milliseconds, too. */
  async hold(ms: number): Promise<void> {
    await this.page.evaluate((held) => heldMs.push(held), ms);
  }

  /** Fires the timers that are held for so many milliseconds, as soon as there are any. */
  async later(ms: number): Promise<void> {
    // The bar that offers to undo may have appeared where the mouse is, which stops its clock.
    await this.page.mouse.move(0, 0);
    await this.page.waitForFunction((held) => fireTimers(held), ms);
  }

  /** The row of an item. */
  item(title: string): Locator {
    return this.items.filter({ has: this.page.getByText(title, { exact: true }) });
  }

  /** Opens the editor of an item, and waits until it has the item as it is now. */
  async edit(title: string): Promise<Locator> {
    const open = this.page.getByRole('button', { name: `Edit ${title}` });
    // Not the response to a save that the list shows before its editor has closed.
    await open.waitFor();
    const fetched = this.page.waitForResponse(/\/\d+$/);
    await open.click();
    await (await fetched).finished();
    return this.page.locator('form.editor');
  }

  async add(title: string): Promise<void> {
    await this.newTitle.fill(title);
    await this.newTitle.press('Enter');
    await this.item(title).waitFor();
    // The list may show it before the form has the answer.
    await hasValue(this.newTitle, '');
  }

  /** Adds a filter; `choose` sets its value. */
  async filter(
    field: string,
    operator: string,
    choose: (value: Locator) => Promise<unknown>,
  ): Promise<void> {
    const form = this.page.getByRole('form', { name: 'Add a filter' });
    if (!(await form.isVisible())) {
      await this.page.getByRole('button', { name: 'Filter', exact: true }).click();
    }
    await form.getByLabel('Field').selectOption(field);
    await form.getByLabel('Operator').selectOption(operator);
    await choose(form);
    await form.getByRole('button', { name: 'Add filter' }).click();
  }

  /** Waits until no request of the page is under way. */
  async isIdle(): Promise<void> {
    const pending = this.exchanges.getByText('\u2026', { exact: true });
    await eventually(async () => assert.equal(await pending.count(), 0));
  }

  /** The titles shown in the list. */
  async titles(): Promise<string[]> {
    return this.items.locator('.title-text').allTextContents();
  }

  /** Waits until the list shows exactly these titles. */
  async shows(titles: readonly string[]): Promise<void> {
    await eventually(async () => assert.deepEqual(await this.titles(), titles));
  }
}

/** Waits until an element has the focus. */
export function hasFocus(target: Locator): Promise<void> {
  return eventually(async () => {
    const isFocused = await target.evaluate((element) => element === document.activeElement);
    assert.equal(isFocused, true, `${target} has the focus`);
  });
}

/** Waits until a control is checked or unchecked. */
export function isChecked(target: Locator, expected: boolean): Promise<void> {
  return eventually(async () => assert.equal(await target.isChecked(), expected, `${target}`));
}

/** Waits until a control has a value. */
export function hasValue(target: Locator, expected: string): Promise<void> {
  return eventually(async () => assert.equal(await target.inputValue(), expected));
}

/** Retries an assertion until it passes, or fails with its last failure. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
