import type { Context } from 'node:vm';
import { loadModule } from '../../../lib/node-module.ts';

/** The processor time that a pattern may take for a text, in milliseconds. */
const MAX_MS = 50;

/** On a busy machine, that time may pass before the pattern has had it. Then it is tried again. */
const MAX_TRIALS = 10;

/** Letters of a text that a pattern is tried with, before one that may end its repetition. */
const LETTERS = 1_000;

/** Letters of the classes `\w`, `\d`, `\s` and `\W`, which are tried with any pattern. */
const LETTERS_OF_CLASSES = 'a0 -';

/** Has no letter: what a pattern is made of, besides the letters that it may repeat. */
const SYNTAX = /[\\^$*+?()[\]{}|]/gu;

/** The letters before everything else in a pattern, which a text must have before a repetition. */
const BEGINNING = /^\^?([^\\^$*+?.()[\]{}|]*)/u;

/** The number of different letters to try, so that the start does not take long. */
const MAX_LETTERS = 16;

/** Where patterns are tried, because only code of `node:vm` can be stopped. */
let context: Context | undefined;

/** Compiles a regular expression (ECMA-262, with the flag `u`). @throws SyntaxError */
export function patternOf(source: string): RegExp {
  return new RegExp(source, 'u');
}

/** Whether a pattern takes too long for a text of 1,000 letters and one more. */
export function isSlow(pattern: RegExp): boolean {
  const letters = new Set(LETTERS_OF_CLASSES + pattern.source.replaceAll(SYNTAX, ''));
  const [, beginning = ''] = BEGINNING.exec(pattern.source) ?? [];
  const texts = [...letters].slice(0, MAX_LETTERS).flatMap((letter) => {
    const text = beginning + letter.repeat(LETTERS);
    return [`${text}!`, `${text}a`];
  });
  return texts.some((text) => isSlowFor(pattern, text));
}

function isSlowFor(pattern: RegExp, text: string): boolean {
  const { createContext, runInContext } = loadModule('node:vm');
  context ??= createContext({});
  Object.assign(context, { pattern, text });
  for (let trial = 1; trial <= MAX_TRIALS; trial++) {
    const start = process.cpuUsage();
    try {
      runInContext('pattern.test(text)', context, { timeout: MAX_MS });
      return false;
    } catch {
      const { user, system } = process.cpuUsage(start);
      if (user + system > (MAX_MS * 1_000) / 2) break;
    }
  }
  return true;
}
