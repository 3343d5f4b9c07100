import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { substringTest } from '../../../../../src/lib/table/text/substring.ts';
import { charactersOf } from '../support/costs.ts';

describe('the test for a substring', () => {
  it('finds what String.prototype.includes finds, however long the term is', () => {
    // Texts that repeat themselves, and terms of up to 80 letters.
    const letters = fc.constantFrom('a', 'a', 'a', 'b');
    const text = fc.array(letters, { minLength: 150, maxLength: 200 }).map((all) => all.join(''));
    const part = fc.record({ text, other: text, from: fc.nat(70), length: fc.nat(80) });
    fc.assert(
      fc.property(part, ({ text, other, from, length }) => {
        for (const source of [text, other]) {
          const term = source.slice(from, from + length);
          assert.equal(substringTest(term)(text), text.includes(term), `${text} has ${term}`);
        }
      }),
    );
  });

  it('tells terms apart that differ in one unit, at any place', () => {
    const term = '\ud83d\ude00ab'.repeat(20);
    for (let i = 0; i < term.length; i++) {
      const other = `${term.slice(0, i)}c${term.slice(i + 1)}`;
      assert.equal(substringTest(term)(`b${other}${other}`), false, `${i}`);
      assert.equal(substringTest(term)(`b${other}${term}`), true, `${i}`);
    }
  });

  it('examines each character a few times, and gives the engine no long term', (test) => {
    const term = `${'a'.repeat(250)}b${'a'.repeat(250)}`;
    const text = `${'a'.repeat(60_000)}b`;
    // The engine would examine each as often as the term is long, which is not seen from here.
    const { mock } = test.mock.method(String.prototype, 'includes');
    const examined = charactersOf(() => substringTest(term)(text));
    assert.ok(examined <= 8 * text.length, `${examined} for ${text.length}`);
    const terms = mock.calls.map((call) => String(call.arguments[0]).length);
    assert.ok(Math.max(...terms) <= 32, `${terms}`);
  });
});
