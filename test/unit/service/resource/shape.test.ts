import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  array,
  object,
  range,
  type Shape,
  string,
} from '../../../../src/service/resource/shape.ts';
import { Validation } from '../../../../src/service/resource/validation.ts';

/*
 * The bounds of what a shape reports, and the forms of its violations. Its other rules are tested by
 * the contents that have shapes (`seed.test.ts`, `item-content.test.ts`, `test/api/`).
 */

const SAMPLE = object<{ readonly name: string; readonly size?: number }>({
  name: { ...string('a word', (word) => !word.includes(' ')), isRequired: true },
  size: range('integer', 1, 9),
});

it('the shape of an object reports no more unknown names than it can list, the first ten with hints', () => {
  const names = Array.from({ length: 100_000 }, (_, i) => [`${'_'.repeat(i % 50)}Size${i}`, 1]);
  const validation = new Validation();
  SAMPLE.read({ name: 'x', ...Object.fromEntries(names) }, validation);
  assert.equal(validation.violations.length, 1_000);
  const hints = validation.violations.map(({ detail }) => detail.includes('did you mean'));
  assert.deepEqual(
    [hints.slice(0, 10).includes(false), hints.slice(10).includes(true)],
    [false, false],
  );
});

it('the shape of an array stops after 1,000 violations', () => {
  let count = 0;
  const counting: Shape<string> = {
    schema: {},
    read: (_, validation) => {
      count++;
      return validation.violate('type', 'is wrong');
    },
  };
  const validation = new Validation();
  array(counting, 0).read(Array(100_000).fill(1), validation);
  assert.deepEqual([validation.violations.length, count], [1000, 1000]);
});

it('the shape of an array reports its length and its elements together, up to its maximum', () => {
  const shape = array(range('integer', 1, 9), 2, 3);
  for (const [given, expected] of [
    [[1], ['# min-items']],
    [['x'], ['# min-items', '#/0 value']],
    [
      ['x', 1, 10, 'not looked at'],
      ['# max-items', '#/0 value', '#/2 value'],
    ],
  ] as const) {
    const validation = new Validation();
    shape.read(given, validation);
    const found = validation.violations.map(({ pointer, code }) => `${pointer} ${code}`);
    assert.deepEqual(found, expected);
  }
});

describe('violations', () => {
  it('may be refused at the first one, with its path', () => {
    const refused: unknown[] = [];
    const validation = new Validation((path, detail) => {
      refused.push([...path, detail]);
      throw new Error('refused');
    });
    assert.throws(
      () => array(SAMPLE, 0).read([{ name: 'x', size: 'y' }, 7], validation),
      /refused/,
    );
    assert.deepEqual(refused, [[0, 'size', 'must be an integer from 1 to 9, not "y"']]);
  });

  it('are counted in the message of an InvalidInputError as far as they are known', () => {
    const validation = new Validation();
    const value = array(SAMPLE, 0).read(Array(2000).fill(1), validation);
    assert.throws(() => validation.checkedInput(value, 'the list is invalid'), {
      name: 'InvalidInputError',
      message: /^the list is invalid: at least 1000 violations: \(1\) .* \(10\) #\/9 [^#]*$/,
    });
  });
});
