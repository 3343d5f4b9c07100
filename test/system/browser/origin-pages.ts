import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { NAMES } from './browser.ts';
import { listen } from './listen.ts';

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
  return listen(test, server);
}
