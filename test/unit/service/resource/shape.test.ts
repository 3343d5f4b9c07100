import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { list, object, range, type Shape, text } from '../../../../src/service/resource/shape.ts';
import { InvalidInputError, Validation } from '../../../../src/service/resource/validation.ts';

interface Sample {
  readonly name: string;
  readonly size?: number | null | undefined;
}

const MEMBERS = {
  name: { ...text('a word', (word) => !word.includes(' ')), isRequired: true, aliases: ['label'] },
  size: range('integer', 1, 9),
};

const STRICT = object<Sample>(MEMBERS);
const WITH_IGNORED = object<Sample>(MEMBERS, { alsoKnown: { id: [], made: ['created'] } });
const LENIENT = object<Sample>(MEMBERS, { alsoKnown: { id: [] }, ignoresUnknown: true });

function read<T>(shape: Shape<T>, given: unknown) {
  const validation = new Validation();
  const value = shape.read(given, validation);
  return {
    value,
    violations: validation.violations.map(({ pointer, code }) => `${pointer} ${code}`),
  };
}

describe('the shape of an object', () => {
  it('copies its members, and leaves undefined ones out', () => {
    const given = { name: 'x', size: undefined, other: undefined };
    const { value, violations } = read(STRICT, given);
    assert.deepEqual([value, violations], [{ name: 'x' }, []]);
    assert.notEqual(value, given);
  });

  it('reports violations in the order of its members, then unknown names', () => {
    const given = { zzz: 1, size: 0, name: 'a b' };
    const violations = ['#/name value', '#/size value', '#/zzz unknown'];
    assert.deepEqual(read(STRICT, given).violations, violations);
    assert.deepEqual(read(STRICT, {}).violations, ['#/name required']);
    assert.deepEqual(read(STRICT, { name: null, size: null }).violations, [
      '#/name not-null',
      '#/size not-null',
    ]);
    for (const other of [[], null, 'x', new Map([['name', 'x']])]) {
      assert.deepEqual(read(STRICT, other), {
        value: undefined,
        violations: ['# type'],
      });
    }
  });

  it('reports an unknown name with the nearest one, which then is not missing', () => {
    for (const [given, ...violations] of [
      [{ nmae: 'x' }, '#/nmae unknown'],
      [{ Label: 'x' }, '#/Label unknown'],
      [{ name: 'x', siez: 5 }, '#/siez unknown'],
      [{ what: 'x' }, '#/name required', '#/what unknown'],
    ] as const) {
      assert.deepEqual(read(STRICT, given).violations, violations);
    }
    const validation = new Validation();
    STRICT.read({ name: 'x', siez: 1, what: 1 }, validation);
    assert.deepEqual(
      validation.violations.map(({ detail }) => detail),
      ['is unknown; did you mean size?', 'is unknown; use name, size'],
    );
  });

  it('may know more names, which it ignores and suggests', () => {
    const given = { name: 'x', id: 1, made: null };
    assert.deepEqual(read(WITH_IGNORED, given), { value: { name: 'x' }, violations: [] });
    const validation = new Validation();
    WITH_IGNORED.read({ name: 'x', crated: 1, other: 1 }, validation);
    assert.deepEqual(
      validation.violations.map(({ detail }) => detail),
      ['is unknown; did you mean made?', 'is unknown; use name, size'],
    );
  });

  it('may ignore all unknown names', () => {
    const given = { nmae: 'x', label: 'y', zzz: 1, id: 1 };
    assert.deepEqual(read(LENIENT, given).violations, ['#/name required']);
    assert.deepEqual(read(LENIENT, { ...given, name: 'x' }).value, { name: 'x' });
  });

  it('reports no more unknown names than it can list, the first hundred with hints', () => {
    const names = Array.from({ length: 100_000 }, (_, i) => [`${'_'.repeat(i % 50)}Size${i}`, 1]);
    const validation = new Validation();
    STRICT.read({ name: 'x', ...Object.fromEntries(names) }, validation);
    assert.equal(validation.violations.length, 1_000);
    const hints = validation.violations.map(({ detail }) => detail.includes('did you mean'));
    assert.deepEqual(
      [hints.slice(0, 10).includes(false), hints.slice(100).includes(true)],
      [false, false],
    );
  });

  it('has a schema with the same rules', () => {
    const properties = {
      name: { type: 'string' },
      size: { type: 'integer', minimum: 1, maximum: 9 },
    };
    const schema = { type: 'object', required: ['name'], properties };
    assert.deepEqual(STRICT.schema, { ...schema, additionalProperties: false });
    const ignored = { description: 'Ignored.' };
    assert.deepEqual(WITH_IGNORED.schema, {
      ...schema,
      properties: { ...properties, id: ignored, made: ignored },
      additionalProperties: false,
    });
    assert.deepEqual(LENIENT.schema, { ...schema, properties: { ...properties, id: ignored } });
  });
});

describe('the shape of an array', () => {
  it('reads each element, also of holes, and limits their number', () => {
    const shape = list(STRICT, 1, 3);
    assert.deepEqual(read(shape, [{ name: 'x' }, { name: 'y' }]).value, [
      { name: 'x' },
      { name: 'y' },
    ]);
    assert.deepEqual(read(shape, []).violations, ['# min-items']);
    assert.deepEqual(read(shape, Array(4)).violations, ['# max-items']);
    assert.deepEqual(read(shape, Array(1)).violations, ['#/0 type']);
    assert.deepEqual(read(shape, {}).violations, ['# type']);
    assert.deepEqual(read(object({ a: shape }), { a: [{ name: 'x', size: 0 }] }).violations, [
      '#/a/0/size value',
    ]);
  });

  it('stops after 1,000 violations', () => {
    let count = 0;
    const counting: Shape<string> = {
      schema: {},
      read: (_, validation) => {
        count++;
        return validation.violate('type', 'is wrong');
      },
    };
    const { violations } = read(list(counting, 0), Array(100_000).fill(1));
    assert.deepEqual([violations.length, count], [1000, 1000]);
  });
});

describe('violations', () => {
  it('may be refused at the first one, with its path', () => {
    const refused: unknown[] = [];
    const validation = new Validation((path, detail) => {
      refused.push([...path, detail]);
      throw new Error('refused');
    });
    assert.throws(() => list(STRICT, 0).read([{ name: 'x', size: 'y' }, 7], validation), /refused/);
    assert.deepEqual(refused, [[0, 'size', 'must be an integer from 1 to 9, not "y"']]);
  });

  it('are listed in the message of an InvalidInputError, the first ten of them', () => {
    const messageOf = (given: unknown) => {
      const validation = new Validation();
      const value = list(STRICT, 0).read(given, validation);
      try {
        validation.checkedInput(value, 'the list is invalid');
      } catch (error) {
        assert(error instanceof InvalidInputError);
        assert.equal(error.violations.length, validation.violations.length);
        return error.message;
      }
      return undefined;
    };
    assert.equal(messageOf([]), undefined);
    assert.equal(messageOf({}), 'the list is invalid: it must be an array, not an object');
    assert.equal(messageOf([7]), 'the list is invalid: #/0 must be an object, not 7');
    assert.equal(
      messageOf([{ size: 0, name: 'x' }, 7]),
      'the list is invalid: 2 violations: ' +
        '(1) #/0/size must be an integer from 1 to 9, not 0 (2) #/1 must be an object, not 7',
    );
    assert.match(
      messageOf(Array(12).fill(1)) ?? '',
      /: 12 violations: \(1\) .* \(10\) #\/9 [^#]*$/,
    );
    assert.match(messageOf(Array(2000).fill(1)) ?? '', /: at least 1000 violations: \(1\) /);
  });
});
