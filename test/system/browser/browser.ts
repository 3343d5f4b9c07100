import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
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
