import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Value } from '../../../../src/lib/table/schema/column.ts';
import type { Field } from '../../../../src/service/resource/field.ts';
import { rulesOf } from '../../../../src/service/resource/validator.ts';

/** The rules that a value of a field breaks. */
function broken(field: Omit<Field, 'description'>, value: Value, notBlank?: string) {
  return rulesOf(field, notBlank)
    .filter((rule) => !rule.isSatisfiedBy(value))
    .map(({ code, detail }) => `${code}: ${detail}`);
}

describe('the rules of a text', () => {
  it('count code points', () => {
    const field = { kind: 'text', rules: { minLength: 3, maxLength: 4 } } as const;
    for (const text of ['abc', 'abcd', '😀😀😀', '😀😀😀😀', 'ab😀']) {
      assert.deepEqual(broken(field, text), [], text);
    }
    for (const text of ['', 'ab', '😀😀']) {
      assert.deepEqual(broken(field, text), ['min-length: must be at least 3 characters long']);
    }
    for (const text of ['abcde', '😀😀😀😀😀']) {
      assert.deepEqual(broken(field, text), ['max-length: must be at most 4 characters long']);
    }
  });

  it('are told in the singular for one character', () => {
    const field = { kind: 'text', rules: { minLength: 1, maxLength: 1 } } as const;
    assert.deepEqual(broken(field, ''), ['min-length: must be at least 1 character long']);
    assert.deepEqual(broken(field, 'ab'), ['max-length: must be at most 1 character long']);
  });

  it('are all checked', () => {
    const field = { kind: 'text', rules: { minLength: 1 } } as const;
    assert.deepEqual(broken(field, '', 'Say something'), [
      'not-blank: Say something',
      'min-length: must be at least 1 character long',
    ]);
    assert.deepEqual(broken(field, '\ud800'), [
      'well-formed: must be well-formed Unicode, without a lone surrogate',
    ]);
    assert.deepEqual(broken({ kind: 'timestamp' }, '\ud800'), [], 'its type is the rule');
  });
});

describe('the rules of a number', () => {
  it('are its own limits', () => {
    const field = { kind: 'integer', rules: { minimum: 1, maximum: 5 } } as const;
    for (const value of [1, 5]) assert.deepEqual(broken(field, value), []);
    assert.deepEqual(broken(field, 0), ['minimum: must be at least 1']);
    assert.deepEqual(broken(field, 6), ['maximum: must be at most 5']);
  });

  it('are the range of its kind otherwise', () => {
    for (const [kind, below, from, to, above] of [
      ['integer', -2147483649, -2147483648, 2147483647, 2147483648],
      ['bigint', -(2n ** 63n) - 1n, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 63n],
    ] as const) {
      for (const value of [from, to]) assert.deepEqual(broken({ kind }, value), []);
      assert.deepEqual(broken({ kind }, below), [`minimum: must be at least ${from}`]);
      assert.deepEqual(broken({ kind }, above), [`maximum: must be at most ${to}`]);
      const rules = { minimum: from };
      assert.deepEqual(broken({ kind, rules }, above), [`maximum: must be at most ${to}`]);
    }
  });
});
