import type { Context } from 'node:vm';
import { loadModule } from '../../../lib/node-module.ts';

/** The processor time that a pattern may take for a text, in milliseconds. */
const MAX_MS = 50;

/** Letters of a text that a pattern is tried with, before one that ends its repetition. */
const LETTERS = 1_000;

/** The number of different letters to try, so that the start does not take long. */
const MAX_TEXTS = 8;

/** Where patterns are tried, because only code of `node:vm` can be stopped. */
let context: Context | undefined;

/** Compiles a regular expression (ECMA-262, with the flag `u`). @throws SyntaxError */
export function patternOf(source: string): RegExp {
  return new RegExp(source, 'u');
}

/** Whether a pattern takes too long for a text of 1,000 letters and one more. */
export function isSlow(pattern: RegExp): boolean {
  const { createContext, runInContext } = loadModule('node:vm');
  context ??= createContext({});
  // Those of the pattern are the letters that it may repeat.
  const letters = new Set(['a', ...(pattern.source.match(/[A-Za-z0-9 ]/g) ?? [])]);
  for (const letter of [...letters].slice(0, MAX_TEXTS)) {
    Object.assign(context, { pattern, text: `${letter.repeat(LETTERS)}!` });
    const start = process.cpuUsage();
    for (;;) {
      try {
        runInContext('pattern.test(text)', context, { timeout: MAX_MS });
        break;
      } catch {
        // A busy machine may have kept it waiting: then it is tried again.
        if (process.cpuUsage(start).user >= MAX_MS * 1_000) return true;
      }
    }
  }
  return false;
}
