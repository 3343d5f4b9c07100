import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Dictionary } from '../../../src/table/indexes/dictionary.ts';
import { hashOf, partsOf, type Term, TermReader } from '../../../src/table/indexes/terms.ts';
import { Random, SEED } from '../support/random.ts';

const ALPHABET = ['a', 'b', 'c', 'd', 'e', 'é', '日', '\ud83d', '0'] as const;
const BETWEEN = [' ', '  ', ', ', '-', '_', '|', '\n'] as const;

function wordOf(random: Random): string {
  return Array.from({ length: 1 + random.below(5) }, () => random.pick(ALPHABET)).join('');
}

function textOf(random: Random): string {
  let text = random.chance(4) ? random.pick([...BETWEEN, '']) : '';
  for (let words = random.below(6); words > 0; words--) {
    text += wordOf(random) + random.pick([...BETWEEN, ' ']);
  }
  return random.chance(2) ? text.trimEnd() : text;
}

function stringOf({ units, length }: Term): string {
  return String.fromCharCode(...units.subarray(0, length));
}

const reader = new TermReader();

function termsOf(text: string): string[] {
  const terms: string[] = [];
  reader.read(text, true);
  while (reader.next()) terms.push(stringOf(reader));
  return terms;
}

function added(dictionary: Dictionary, text: string): (number | undefined)[] {
  const numbers: (number | undefined)[] = [];
  reader.read(text, true);
  while (reader.next()) numbers.push(dictionary.add(reader));
  return numbers;
}

describe('the terms of a text', () => {
  test('are its words and the seams between them', () => {
    assert.deepEqual(termsOf('call the plan'), [' call ', ' the ', 'll|th', ' plan ', 'he|pl']);
    assert.deepEqual(termsOf('  a--b!'), [' a ', ' b ', ' a|b ']);
    for (const text of ['', ' ', '—'.slice(1), '!?']) assert.deepEqual(termsOf(text), []);
    assert.deepEqual(termsOf('買い物 2026'), [' 買い物 ', ' 2026 ', 'い物|20']);
  });

  test('are whole within a text, and may be open at its ends', () => {
    const parts = partsOf('ll the pl').map((part) => [stringOf(part), part.isWhole]);
    assert.deepEqual(parts, [
      ['ll ', false],
      [' the ', true],
      ['ll|th', true],
      [' pl', false],
      ['he|pl', true],
    ]);
    assert.deepEqual(
      partsOf('l t').map((part) => [stringOf(part), part.isWhole]),
      [['l|t', false]],
    );
    assert.deepEqual(partsOf('ab'), [], 'no trigram, no part');
  });

  test(`contain each part of what the text contains (seed ${SEED})`, () => {
    const random = new Random(SEED);
    for (let round = 0; round < 3000; round++) {
      const text = textOf(random);
      const terms = termsOf(text);
      const from = random.below(text.length + 1);
      const needle = text.slice(from, from + random.below(text.length + 1));
      for (const part of partsOf(needle)) {
        const found = terms.filter((term) => term.includes(stringOf(part)));
        assert.ok(found.length > 0, `${JSON.stringify(needle)} in ${JSON.stringify(text)}`);
        if (part.isWhole) assert.ok(found.every((term) => term === stringOf(part)));
      }
    }
  });
});

describe('a dictionary', () => {
  test(`numbers terms, and finds those that contain a part (seed ${SEED})`, () => {
    const random = new Random(SEED);
    const dictionary = new Dictionary();
    const numbers = new Map<string, number>();
    for (let i = 0; i < 1500; i++) {
      const text = textOf(random);
      const terms = termsOf(text);
      for (const [at, number] of added(dictionary, text).entries()) {
        const term = terms[at] ?? '';
        const expected = numbers.get(term) ?? numbers.size;
        assert.equal(number, expected, term);
        numbers.set(term, expected);
      }
    }
    for (let i = 0; i < 500; i++) {
      for (const part of partsOf(textOf(random))) {
        const wanted = stringOf(part);
        const expected = [...numbers].flatMap(([term, number]) =>
          term.includes(wanted) ? number : [],
        );
        assert.deepEqual(dictionary.containing(part), expected, wanted);
      }
    }
  });

  test('has no room for long terms, nor for more than 65,535', () => {
    const dictionary = new Dictionary();
    assert.deepEqual(added(dictionary, 'x'.repeat(23)), [undefined]);
    const words = Array.from({ length: 70_000 }, (_, i) => `w${i}`);
    const numbers = words.map((word) => added(dictionary, word)[0]);
    const found = numbers.filter((number) => number !== undefined);
    assert.deepEqual(found, [...Array(0xffff).keys()], 'it is full');
    assert.ok(numbers.slice(0, 60_000).filter((number) => number === undefined).length < 100);
    for (let i = 0; i < words.length; i += 17) {
      assert.equal(added(dictionary, words[i] ?? '')[0], numbers[i], 'nothing changes');
    }
    assert.ok(dictionary.bytes < 8e6, `${dictionary.bytes} bytes`);
  });

  test('takes no more bytes for long terms', () => {
    const dictionary = new Dictionary();
    const word = (i: number) => `${i}${'abcdefghijklmnopqrstu'.slice(i % 4)}`.slice(0, 22);
    for (let i = 0; i < 30_000; i++) added(dictionary, word(i));
    assert.equal(added(dictionary, word(29_999))[0], undefined);
    assert.equal(added(dictionary, word(0))[0], 0);
    assert.ok(dictionary.bytes < 6e6, `${dictionary.bytes} bytes`);
  });

  test('does not try to grow again once it could not', () => {
    const dictionary = new Dictionary();
    const [last, first, others]: [string[], string[], string[]] = [[], [], []];
    // Sixteen terms at the end of a table for 32,768, and sixteen at its begin, do not fit into a
    // larger one, because there the places after the end are those of the others.
    for (let i = 0; last.length < 16 || first.length < 16; i++) {
      const word = ` ${i.toString(36)} `;
      const units = Uint16Array.from(word, (unit) => unit.charCodeAt(0));
      const home = hashOf(units, 0, units.length) & 0x1ffff;
      if (home === 0xffff && last.length < 16) last.push(word);
      else if (home === 0x10000 && first.length < 16) first.push(word);
      else if (i < 24_000) others.push(word);
    }
    const words = [...last, ...first, ...others];
    const numbers = words.map((word) => added(dictionary, word)[0]);
    while (dictionary.isCrowded) for (const _ of dictionary.grow());
    assert.equal(dictionary.isCrowded, false, 'it gave up');
    const { bytes } = dictionary;
    for (let i = 0; i < 3000; i++) added(dictionary, `new${i}`);
    assert.ok(dictionary.bytes < 1.5 * bytes, `${dictionary.bytes} after ${bytes}`);
    for (let i = 0; i < words.length; i += 17) {
      assert.equal(added(dictionary, words[i] ?? '')[0], numbers[i], 'nothing changes');
    }
  });

  test('does without terms that all have the same place', () => {
    const dictionary = new Dictionary();
    const rivals: string[] = [];
    // The same last 17 bits, as many as its table ever looks at.
    const units = new Uint16Array(16);
    for (let i = 0; rivals.length < 20; i++) {
      const word = ` ${i.toString(36)} `;
      for (let at = 0; at < word.length; at++) units[at] = word.charCodeAt(at);
      if ((hashOf(units, 0, word.length) & 0x1ffff) === 0) rivals.push(word.trim());
    }
    const numbers = rivals.map((word) => added(dictionary, word)[0]);
    assert.deepEqual(numbers.slice(0, 16), [...Array(16).keys()]);
    assert.deepEqual(numbers.slice(16), [undefined, undefined, undefined, undefined]);
    assert.deepEqual(added(dictionary, 'other'), [16]);
    for (const [i, word] of rivals.entries()) {
      const [part] = partsOf(` ${word} `);
      assert.ok(part);
      assert.deepEqual(dictionary.containing(part), i < 16 ? [i] : []);
    }
  });
});
