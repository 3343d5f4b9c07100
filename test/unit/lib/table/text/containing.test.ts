import assert from 'node:assert/strict';
import { it } from 'node:test';
import { containing } from '../../../../../src/lib/table/text/containing.ts';
import { Random, SEED } from '../../../../support/random.ts';

/** Few letters, so that terms occur, and almost occur: frequent, rare and other ones, and halves. */
const ALPHABETS = ['ab', 'exq', ' eEα', 'tzß\ud83d\ude00'] as const;

it('a text contains what `includes` finds, wherever the rarest letter is', () => {
  const random = new Random(SEED);
  let found = 0;
  for (let tries = 0; tries < 20_000; tries++) {
    const letters = random.pick(ALPHABETS);
    const drawn = (longest: number) =>
      random.list(longest, () => letters[random.below(letters.length)]).join('');
    const [text, term] = [drawn(20), drawn(6)];
    const isFound = containing(term)(text);
    assert.equal(isFound, text.includes(term), JSON.stringify({ SEED, text, term }));
    if (isFound && term.length > 2) found++;
  }
  assert.ok(found > 1_000, `${found}`);
});

it('a text contains a term at its beginning and at its end, and no part of one', () => {
  for (const term of ['eex', 'xee', 'exe', 'ex', 'x']) {
    const test = containing(term);
    for (const text of [term, `e${term}`, `${term}e`, `xx${term}`]) assert.ok(test(text), term);
    for (const text of ['', term.slice(1), term.slice(0, -1)]) assert.ok(!test(text), term);
  }
});
