import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Problem } from '../../../../src/lib/http/index.ts';
import { listOptions, listOptionsOf } from '../../../../src/service/resource/query/list-options.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';

const { fields } = variantB;
const PARAMETERS = listOptions(fields);

const read = (given: Readonly<Record<string, string>>) =>
  listOptionsOf(new Map(Object.entries(given)), fields);

function isTaken(name: string, value: string): boolean {
  try {
    return typeof read({ [name]: value }) === 'object';
  } catch (error) {
    assert(error instanceof Problem && error.code === 'invalid-parameter', String(error));
    return false;
  }
}

describe('the order and the part of a list', () => {
  for (const [name, good, bad] of [
    [
      'sort',
      ['id', '-id', 'title,-priority,title', '-title.ignoreCase,description.ignoreCase'],
      ['', '-', '--id', 'x', 'id,', 'id;title', 'id.ignoreCase', 'title.x', 'title.ignorecase'],
    ],
    ['limit', ['0', '1', '20'], ['-1']],
    ['offset', ['0', '1', '20'], ['-1']],
  ] as const) {
    it(`are read as the schema of ${name} says`, () => {
      const { schema, example } = PARAMETERS.find((each) => each.name === name) ?? {};
      const isValid = new Ajv2020({ strict: true }).compile(schema ?? assert.fail());
      const typed = (value: string) => (name === 'sort' ? value : Number(value));
      for (const value of [...good, String(example)]) {
        assert(isTaken(name, value) && isValid(typed(value)), value);
      }
      for (const value of bad) assert(!isTaken(name, value) && !isValid(typed(value)), value);
    });
  }

  it('take the first mention of a field, and a number that is too large as no end', () => {
    const sent = {
      sort: '-title,id,title',
      limit: '9007199254740992',
      offset: '9007199254740991',
    };
    assert.deepEqual(read(sent), {
      orderBy: [
        { column: 'title', direction: 'desc' },
        { column: 'id', direction: 'asc' },
      ],
      limit: Number.MAX_SAFE_INTEGER,
      offset: Number.MAX_SAFE_INTEGER,
    });
    assert.deepEqual(read({}), { orderBy: [], limit: undefined, offset: undefined });
  });
});
