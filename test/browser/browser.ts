import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';

/** The browser is the system's own, so that nothing is downloaded; `CHROMIUM` names another. */
const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Starts a browser; whoever calls it closes it.
 * @throws AssertionError where there is no browser, with what to do about it
 */
export function launchBrowser(): Promise<Browser> {
  const advice = `no browser at ${EXECUTABLE}: apt-get install chromium, or set CHROMIUM`;
  assert(existsSync(EXECUTABLE), advice);
  return chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
}

/** The loader of these tests calls this wherever a function has a name, in pages as well. */
export const NAMES = 'globalThis.__name = (named) => named;';

/** A page of a browser, at some address, in a context that ends with the test. */
export async function pageAt(test: TestContext, browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext();
  test.after(() => context.close());
  await context.addInitScript(NAMES);
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

const EMPTY_PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>';

/** The origin of a server that has nothing but an empty page, for as long as the test runs. */
export async function otherOrigin(test: TestContext): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end(EMPTY_PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  return `http://127.0.0.1:${address.port}`;
}
