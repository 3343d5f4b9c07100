import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { type Browser, chromium } from 'playwright-core';

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
  // Tests may listen on this port, and browsers refuse to call it.
  '--explicitly-allowed-ports=10080',
];

let browser: Promise<Browser> | undefined;
after(async () => (await browser)?.close());

/**
 * The browser of this process, which closes after its tests.
 * @throws AssertionError if there is no browser, with what to do about it
 */
export function theBrowser(): Promise<Browser> {
  const advice = `no browser at ${EXECUTABLE}: apt-get install chromium, or set CHROMIUM`;
  assert(existsSync(EXECUTABLE), advice);
  browser ??= chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
  return browser;
}

/** Defines the helper that esbuild calls for every named function, including those run in pages. */
export const NAMES = 'globalThis.__name = (named) => named;';
