import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseJson } from '../../../../src/lib/json/json-object.ts';
import { Random, SEED } from '../../../support/random.ts';
import { workOf } from './support/work.ts';

const KIB_64 = 2 ** 16;

/** The looks at characters of a text, each bigint as some more, by its length. */
function effort(text: string): number {
  const { characters, bigints } = workOf(() => parseJson(text));
  return (characters + 4 * bigints) / text.length;
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

it(`no JSON that a search finds is looked at more than a few times (seed ${SEED})`, (test) => {
  const random = new Random(SEED);
  const make = (): Recipe => [elementOf(random), ...random.list(3, () => elementOf(random))];
  let worst = { recipe: make(), effort: 0 };
  for (let i = 0; i < 300; i++) {
    const [first = '', ...others] = worst.recipe;
    const recipe = random.pick<() => Recipe>([
      make,
      () => [...worst.recipe, elementOf(random)],
      () => [elementOf(random), ...others],
      () => (others.length > 0 ? others : [first]),
    ])();
    const found = effort(textOf(recipe, KIB_64));
    if (found > worst.effort) worst = { recipe, effort: found };
  }
  const text = `${worst.effort.toFixed(1)} for ${worst.recipe.join()}`;
  test.diagnostic(text);
  assert.ok(worst.effort <= 6, text);
});
