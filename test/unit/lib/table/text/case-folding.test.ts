import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fold } from '../../../../../src/lib/table/text/case-folding.ts';

/** Installed by Debian's package unicode-data. */
const CASE_FOLDING = '/usr/share/unicode/CaseFolding.txt';

const LINE = /^(?<code>[0-9A-F]+); (?<status>[CFST]); (?<mapping>[0-9A-F ]+);/;

function officialFoldings(): Map<string, string> {
  const foldings = new Map<string, string>();
  for (const line of readFileSync(CASE_FOLDING, 'utf8').split('\n')) {
    const { code, status, mapping } = LINE.exec(line)?.groups ?? {};
    if (!code || !mapping || (status !== 'C' && status !== 'F')) continue;
    foldings.set(textOf(code), mapping.split(' ').map(textOf).join(''));
  }
  return foldings;
}

function textOf(hex: string): string {
  return String.fromCodePoint(Number.parseInt(hex, 16));
}

describe('fold', () => {
  test('folds texts that differ only in case to the same text', () => {
    assert.equal(fold('STRASSE'), fold('straße'));
    assert.equal(fold('ΟΔΟΣΑ'), 'οδοσα');
    assert.equal(fold('οδος'), 'οδοσ');
    assert.equal(fold('ﬃ'), 'ffi');
    assert.equal(fold('𐐀x'), '𐐨x');
    assert.equal(fold('Ꭰ'), fold('ꭰ'));
  });

  test('applies neither Turkic exceptions nor normalisation', () => {
    assert.equal(fold('I'), 'i');
    assert.equal(fold('ı'), 'ı');
    assert.equal(fold('İ'), 'i̇');
    assert.notEqual(fold('é'), fold('e\u0301'));
  });

  test('folds each code point of a text by itself, however long the text is', () => {
    for (const letter of [
      'A',
      'a',
      'Σ',
      'ß',
      'µ',
      'İ',
      'ﬃ',
      '𐐀',
      '😀',
      '日',
      '\0',
      '\ud801',
      '\udc00',
    ]) {
      for (const count of [1, 2, 1023, 1024, 1025, 5000]) {
        const text = `x${letter.repeat(count)}Z`;
        assert.equal(fold(text), `x${fold(letter).repeat(count)}z`, `${count} of ${letter}`);
      }
    }
  });

  test('changes as many letters as Unicode 15 defines, in any version of the engine', () => {
    let changed = 0;
    for (let codePoint = 0; codePoint <= 0x1ffff; codePoint++) {
      const letter = String.fromCodePoint(codePoint);
      if (fold(letter) !== letter) changed++;
    }
    assert.equal(changed, 1530);
  });

  test('agrees with every line of CaseFolding.txt, and changes nothing else', {
    skip: existsSync(CASE_FOLDING) ? false : 'the package unicode-data is not installed',
  }, () => {
    const foldings = officialFoldings();
    assert.ok(foldings.size > 1500);
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      const letter = String.fromCodePoint(codePoint);
      const expected = foldings.get(letter) ?? letter;
      if (fold(letter) !== expected)
        assert.equal(fold(letter), expected, `U+${codePoint.toString(16)}`);
    }
  });
});
