import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';

/** The system's browser, so that nothing is downloaded; `CHROMIUM` selects another. */
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
  // The one port of those that tests listen on which browsers refuse to call.
  '--explicitly-allowed-ports=10080',
];

/**
 * Starts a browser; the caller closes it.
 * @throws AssertionError if there is no browser, with what to do about it
 */
export function launchBrowser(): Promise<Browser> {
  const advice = `no browser at ${EXECUTABLE}: apt-get install chromium, or set CHROMIUM`;
  assert(existsSync(EXECUTABLE), advice);
  return chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
}

/** Defines the helper that esbuild calls for every named function, including those run in pages. */
export const NAMES = 'globalThis.__name = (named) => named;';

/** Opens a page at an address, in a context that is closed with the test. */
export async function pageAt(test: TestContext, browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext();
  test.after(() => context.close());
  await context.addInitScript(NAMES);
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

const EMPTY_PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>';

/**
 * Starts a server with only an empty page, for the duration of the test, and returns its origin.
 */
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
