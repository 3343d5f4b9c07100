import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../../../src/lib/json/json-object.ts';
import { Random, SEED } from '../../../support/random.ts';
import { FORMS } from './support/number-forms.ts';

const MIB = 2 ** 20;

/** Promised is 20 ms for a mebibyte. A busy machine takes longer. */
const MOST_BEYOND_MS = 4 * 20;

/** The least processor time of some runs, in milliseconds. */
function timeOf(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** How much longer a text takes than with `JSON.parse`, in milliseconds. */
function beyond(text: string): number {
  return timeOf(() => parseJson(text)) - timeOf(() => JSON.parse(text));
}

/** What a text is made of: kinds of elements, which take turns. */
type Recipe = readonly string[];

/** Makes elements at random: numbers of any form, and texts and containers around them. */
function elementOf(random: Random): string {
  const digits = (most: number): string => random.list(most, () => random.below(10)).join('');
  const number = (): string => {
    const whole = random.chance(3) ? '0' : `${1 + random.below(9)}${digits(20)}`;
    const fraction = random.chance(2) ? '' : `.${digits(20)}${random.below(10)}`;
    const exponent = random.chance(2) ? '' : `e${random.pick(['', '-'])}${random.below(340)}`;
    return `${random.pick(['', '', '-'])}${whole}${fraction}${exponent}`;
  };
  const scalar = random.pick([number(), number(), '1e16', '""', '"\\""', 'null']);
  const depth = random.pick([0, 0, 0, 1, 3, 30]);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{', '}'],
  ] as const);
  const member = open === '{' ? `"${digits(3)}":` : '';
  return `${open}${member}`.repeat(depth) + scalar + close.repeat(depth);
}

function textOf(recipe: Recipe, length: number): string {
  const elements: string[] = [];
  for (let i = 0, left = length - 300; left > 0; i++) {
    const element = recipe[i % recipe.length] ?? '';
    elements.push(element);
    left -= element.length + 1;
  }
  return `[${elements.join()}]`;
}

describe('a mebibyte of JSON is parsed in little more time than JSON.parse takes', () => {
  for (const [form, text] of Object.entries(FORMS)) {
    it(form, () => {
      const ms = beyond(text(MIB));
      assert.ok(ms <= MOST_BEYOND_MS, `${ms} ms`);
    });
  }

  it(`the worst that a search finds (seed ${SEED})`, (test) => {
    const random = new Random(SEED);
    const make = (): Recipe => [elementOf(random), ...random.list(3, () => elementOf(random))];
    let worst = { recipe: make(), ms: 0 };
    for (let i = 0; i < 300; i++) {
      const [first = '', ...others] = worst.recipe;
      const recipe = random.pick<() => Recipe>([
        make,
        () => [...worst.recipe, elementOf(random)],
        () => [elementOf(random), ...others],
        () => (others.length > 0 ? others : [first]),
      ])();
      const ms = beyond(textOf(recipe, MIB / 16));
      if (ms > worst.ms) worst = { recipe, ms };
    }
    const ms = beyond(textOf(worst.recipe, MIB));
    test.diagnostic(`${ms.toFixed(1)} ms for ${worst.recipe.join()}`);
    assert.ok(ms <= MOST_BEYOND_MS, `${ms} ms for ${worst.recipe.join()}`);
  });
});
