import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { App } from '../../../src/service/app.ts';
import type { Definition } from '../../../src/service/resource/definition.ts';
import type { FieldValues } from '../../../src/service/resource/field.ts';
import { variantB } from '../../../src/service/todo/variant-b.ts';
import { Client } from '../../support/client.ts';
import { freePorts } from '../../support/ports.ts';
import type { Todo } from '../../support/requests.ts';
import { appOf, type TestOptions } from '../../support/service.ts';
import { NAMES, theBrowser } from './browser.ts';

/** The time limit of each wait, in milliseconds: long enough for a busy machine. */
const PATIENCE_MS = 30_000;

/** A service that can be restarted at the same address. */
export class Service {
  readonly client: Client;
  readonly baseUrl: string;
  readonly #newApp: (env?: TestOptions['env']) => App;
  readonly #port: number;
  #app: App;

  private constructor(newApp: (env?: TestOptions['env']) => App, port: number) {
    this.#newApp = newApp;
    this.#app = newApp();
    this.#port = port;
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.client = new Client(this.baseUrl);
  }

  /** Starts a service that stops with its test. */
  static async start(
    test: TestContext,
    options: TestOptions = {},
    variant: Definition = variantB,
  ): Promise<Service> {
    const [port = 0] = await freePorts(1);
    const newApp = (env?: TestOptions['env']) =>
      appOf(variant, { ...options, ...(env && { env }), isInProcess: true });
    const service = new Service(newApp, port);
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

  /** Starts the service again, which keeps only the seed. */
  async restart(env?: TestOptions['env']): Promise<void> {
    this.#app = this.#newApp(env);
    await this.#app.listen(this.#port, '127.0.0.1');
  }

  /** Resets the service to its seed, which sends reset to event streams. */
  async reset(): Promise<void> {
    await this.#app.control.lists.reset(this.#app.base);
  }

  async create(values: Partial<Todo> & FieldValues): Promise<Todo> {
    const answer = await this.client.post('/api/todos', { title: 'x', ...values });
    assert.equal(answer.status, 201, answer.text);
    return answer.json();
  }

  async items(): Promise<Todo[]> {
    return (await this.client.get('/api/todos')).json();
  }

  async titles(): Promise<string[]> {
    return (await this.items()).map(({ title }) => title);
  }
}

/** Items for a service to start with. */
export function seedOf(titles: readonly string[]): readonly FieldValues[] {
  return titles.map((title) => ({ title }));
}

/** Options of a page test. */
export interface OpenOptions extends TestOptions {
  readonly variant?: Definition;
  readonly look?: BrowserContextOptions;
  /** The path and query at which to open the page. */
  readonly at?: string;
  /** The state of the connection to wait for. */
  readonly state?: string;
}

/** Starts a service with items of these titles, or those of `seed`, and opens its page. */
export async function openPage(
  test: TestContext,
  titles: readonly string[] = [],
  { variant, look, at = '/', state, ...options }: OpenOptions = {},
) {
  const service = await Service.start(test, { seed: seedOf(titles), ...options }, variant);
  const todo = await TodoPage.open(test, service.baseUrl + at, look, state);
  return { service, todo, page: todo.page };
}

/** The service's page, with elements found the way users find them. */
export class TodoPage {
  readonly page: Page;
  readonly items: Locator;
  readonly newTitle: Locator;
  readonly search: Locator;
  readonly count: Locator;
  readonly exchanges: Locator;
  /** The button Undo while it is not busy. A busy one ignores clicks. */
  readonly undo: Locator;

  private constructor(page: Page) {
    this.page = page;
    this.items = page.locator('#items > li');
    this.newTitle = page.getByRole('textbox', { name: 'New item' });
    this.search = page.getByRole('searchbox', { name: 'Search' });
    this.count = page.locator('#count');
    this.exchanges = page.locator('#exchanges > li');
    this.undo = page
      .getByRole('button', { name: 'Undo', exact: true })
      .and(page.locator(':not([aria-busy])'));
  }

  /** Opens the page in its own context; an uncaught script error fails the test. */
  static async open(
    test: TestContext,
    url: string,
    options: BrowserContextOptions = {},
    state = 'Live',
  ): Promise<TodoPage> {
    const browser = await theBrowser();
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript(NAMES);
    const page = await context.newPage();
    test.after(async () => {
      // Ignore errors of held requests that continue when the test ends.
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

  /** Opens an address in another tab of the same browser. */
  async another(url: string): Promise<TodoPage> {
    const tab = new TodoPage(await this.page.context().newPage());
    await tab.openAt(url);
    return tab;
  }

  /** Opens an address, and waits until the page shows a state. */
  async openAt(url: string, state = 'Live'): Promise<void> {
    await this.page.goto(url);
    await this.page.getByText(state, { exact: true }).waitFor();
  }

  /** The row of an item. */
  item(title: string): Locator {
    return this.items.filter({ has: this.page.getByText(title, { exact: true }) });
  }

  /** Opens the editor of an item. */
  async edit(title: string): Promise<Locator> {
    await this.page.getByRole('button', { name: `Edit ${title}` }).click();
    const editor = this.page.getByRole('dialog', { name: 'Edit item' });
    await editor.waitFor();
    return editor;
  }

  async add(title: string): Promise<void> {
    await this.newTitle.fill(title);
    await this.newTitle.press('Enter');
    await this.item(title).waitFor();
    // The list may show the item before the form has its response.
    await hasValue(this.newTitle, '');
  }

  /** Opens a tab of the desk. */
  async tab(name: string): Promise<void> {
    await this.page.getByRole('tab', { name }).click();
  }

  /** Opens a request of the desk, unless it is open as that of the last click. */
  async openExchange(exchange: Locator): Promise<void> {
    const isOpen = (await exchange.locator('details[open]').count()) > 0;
    if (!isOpen) await exchange.locator('summary').first().click();
  }

  /** The requests that the desk shows from a client. */
  from(client: string): Locator {
    return this.exchanges.filter({
      has: this.page.locator('.client').getByText(client, { exact: true }),
    });
  }

  /** Opens the reference. Returns an operation, opened. */
  async operation(id: string): Promise<Locator> {
    const reference = this.page.locator('#reference');
    const operation = this.page.locator(`#operation-${id}`);
    for (const details of [reference, operation]) {
      if ((await details.getAttribute('open')) !== null) continue;
      await details.locator('summary').first().click();
    }
    return operation;
  }

  /** Adds a filter. */
  async filter(parameter: string, value: string): Promise<void> {
    const form = this.page.getByRole('form', { name: 'Add a filter' });
    if (!(await form.isVisible())) {
      await this.page.getByRole('button', { name: 'Filter', exact: true }).click();
    }
    await form.getByRole('combobox', { name: 'Filter' }).selectOption(parameter);
    await form.getByLabel('Value').fill(value);
    await form.getByRole('button', { name: 'Add filter' }).click();
  }

  /** The methods and targets of the requests that the panel shows, latest first. */
  requests(): Promise<string[]> {
    return this.exchanges.locator('summary:has(b)').evaluateAll((summaries) =>
      summaries.map((summary) => {
        const [method, path] = summary.querySelectorAll('b, .path');
        return `${method?.textContent} ${path?.getAttribute('title')}`;
      }),
    );
  }

  /** The methods and paths of the writes that the panel shows, latest first, without queries. */
  async writes(): Promise<readonly string[]> {
    const writes = (await this.requests()).filter((line) => !line.startsWith('GET'));
    return writes.map((line) => line.replace(/\?.*/, ''));
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

/**
 * Holds the requests with a method for a target, or for a path with any query.
 * @returns a function that releases them
 */
export async function holdRequests(
  page: Page,
  method: string,
  target: string,
): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(
    ({ pathname, search }) => target === pathname || target === pathname + search,
    async (route) => {
      if (route.request().method() === method) await released;
      await route.fallback();
    },
  );
  return release;
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
