import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TAKEN_NAMES } from '../../../../../src/service/resource/schema/names.ts';
import { resourceOfProgram } from '../../../../../src/service/resource/schema/resource-file.ts';
import { InvalidInputError } from '../../../../../src/service/resource/validation.ts';
import { variantB } from '../../../../../src/service/todo/variant-b.ts';
import { NOTE, NOTE_SCHEMA, resourceWith } from '../../../../support/notes.ts';
import { startApp } from '../../../../support/service.ts';

type Json = Readonly<Record<string, unknown>>;

/** The violations of a definition, each as its pointer and detail; none if it is valid. */
function violationsOf(work: () => unknown): (readonly [pointer: string, detail: string])[] {
  try {
    work();
  } catch (error) {
    assert(error instanceof InvalidInputError, String(error));
    return error.violations.map(({ pointer, detail }) => [pointer, detail] as const);
  }
  return [];
}

/** Asserts that a schema has exactly these violations. */
function assertRefused(schema: Json, ...expected: readonly (readonly [string, RegExp])[]): void {
  const found = violationsOf(() => resourceOfProgram(schema));
  const shown = JSON.stringify(schema).slice(0, 200);
  assert.deepEqual(
    found.map(([pointer]) => pointer),
    expected.map(([pointer]) => pointer),
    `${shown}: ${JSON.stringify(found)}`,
  );
  for (const [i, [, detail]] of expected.entries())
    assert.match(found[i]?.[1] ?? '', detail, shown);
}

const TEXT = { type: 'string' };

/** A schema with one property, `a`. */
const withA = (a: unknown, more: Json = {}): Json => {
  return { title: 'Note', type: 'object', properties: { a }, ...more };
};

/** A valid schema with other keywords. */
const withKeywords = (more: Json) => withA(TEXT, more);

describe('the name of a resource', () => {
  it('is that of schemas, operations and the path', () => {
    for (const [title, item, items, collection] of [
      ['Note', 'Note', 'Notes', '/api/notes'],
      ['note', 'Note', 'Notes', '/api/notes'],
      ['To-do item', 'TodoItem', 'TodoItems', '/api/todoItems'],
      ['Story', 'Story', 'Stories', '/api/stories'],
      ['Day', 'Day', 'Days', '/api/days'],
      ['Box', 'Box', 'Boxes', '/api/boxes'],
      ['Address', 'Address', 'Addresses', '/api/addresses'],
      ['Quiz', 'Quiz', 'Quizes', '/api/quizes'],
      ['Match', 'Match', 'Matches', '/api/matches'],
      ['Wish', 'Wish', 'Wishes', '/api/wishes'],
      ['Note-Input', 'NoteInput', 'NoteInputs', '/api/noteInputs'],
      ['Item2', 'Item2', 'Item2s', '/api/item2s'],
    ]) {
      const { name, api } = resourceOfProgram(withKeywords({ title }));
      assert.deepEqual(
        [name, api.item, api.items, api.collection],
        [item, item, items, collection],
      );
    }
  });

  it('is in words on the page', () => {
    for (const [title, one, many] of [
      ['Todo item', 'todo item', 'todo items'],
      ['URL', 'url', 'urls'],
      ['APIKey', 'api key', 'api keys'],
      ['Vitamin C', 'vitamin c', 'vitamin cs'],
      ['Story', 'story', 'stories'],
    ]) {
      const { words } = resourceOfProgram(withKeywords({ title })).api;
      assert.deepEqual([words.one, words.many], [one, many]);
    }
  });

  it('is refused if it is missing, no name, or the name of something else', () => {
    const { title: _, ...untitled } = withKeywords({});
    assertRefused(untitled, ['#/title', /must be present: the name of an item/]);
    for (const title of ['', '9x', 'Über', 'a.b', 'a_b', 'x'.repeat(65), ' ', '-']) {
      assertRefused(withKeywords({ title }), ['#/title', /^must be a name such as Note/]);
    }
    assertRefused(
      withKeywords({ title: 7 }),
      ['#/title', /must be a string/],
      ['#/title', /present/],
    );
    for (const title of ['List', 'Map', 'String', 'Object']) {
      assertRefused(withKeywords({ title }), [
        '#/title',
        /is the name of a common type; use .* such as/,
      ]);
    }
    for (const title of ['Fault', 'Problem', 'Page', 'NamedList']) {
      assertRefused(withKeywords({ title }), ['#/title', /is the name of another part of the API/]);
    }
  });

  it('is none of the names in the API document of to-dos', async (test) => {
    const { client } = await startApp(test, variantB, { env: { ADMIN_TOKEN: 'secret' } });
    const document = JSON.parse((await client.get('/openapi.json')).text);
    const schemas = Object.keys(document.components.schemas);
    const operations = Object.values<Record<string, { operationId: string }>>(document.paths);
    const ids = operations.flatMap((each) => Object.values(each).map((one) => one.operationId));
    const gets = ids.flatMap((id) => /^get([A-Z].*)$/.exec(id)?.[1] ?? []);
    const others = [...schemas, ...gets].filter((name) => !/Todos?$/.test(name));
    assert.deepEqual(new Set(TAKEN_NAMES), new Set(others));
  });
});

describe('the path of a resource', () => {
  it('is refused if it is none, or belongs to the service', () => {
    for (const path of [
      '',
      '/',
      'notes',
      '/notes/',
      '//notes',
      '/a/../b',
      '/./a',
      '/a b',
      '/é',
      7,
    ]) {
      assertRefused(withKeywords({ 'x-collection': path }), [
        '#/x-collection',
        /^must be a path such as/,
      ]);
    }
    for (const path of [
      '/livez',
      '/readyz/a',
      '/metrics',
      '/admin',
      '/admin/notes',
      '/lists',
      '/lists/a',
      '/openapi.json',
    ]) {
      assertRefused(withKeywords({ 'x-collection': path }), [
        '#/x-collection',
        /must not be at or below/,
      ]);
    }
    for (const path of ['/livezz', '/x/admin', '/api'])
      resourceOfProgram(withKeywords({ 'x-collection': path }));
  });

  it('has an annotation with a name near it refused, others not', () => {
    for (const name of ['x-colection', 'x-Collections', 'x_collection']) {
      const expected = name.startsWith('x-') ? /did you mean x-collection\?/ : /is not supported/;
      assertRefused(withKeywords({ [name]: '/a' }), [`#/${name}`, expected]);
    }
    resourceOfProgram(withKeywords({ 'x-internal': true, 'x-go-name': 'N' }));
  });
});

describe('a keyword that is not supported', () => {
  for (const [keyword, value, cure] of [
    ['allOf', [TEXT], /write all properties in one schema/],
    ['oneOf', [TEXT], /use one type, an enum/],
    ['nullable', true, /use "type": \["string", "null"\]/],
    ['multipleOf', 2, /use the type integer/],
    ['exclusiveMinimum', 2, /use minimum/],
    ['uniqueItems', true, /leave it out/],
    ['writeOnly', true, /every member can be read/],
    ['patternProperties', {}, /use properties/],
    ['not', {}, /use enum or pattern/],
    ['minLenght', 2, /did you mean minLength\?/],
    ['foo', 2, /leave it out, or use type, /],
    ['minimum', 2, /is not supported for the type string; did you mean minLength\?/],
    ['items', TEXT, /is not supported for the type string; leave it out, or use type, /],
  ] as const) {
    it(`is named with the cure: ${keyword}`, () => {
      assertRefused(withA({ ...TEXT, [keyword]: value }), [`#/properties/a/${keyword}`, cure]);
      const nested = {
        type: 'array',
        items: { type: 'object', properties: { b: { ...TEXT, [keyword]: value } } },
      };
      assertRefused(withA(nested), [`#/properties/a/items/properties/b/${keyword}`, cure]);
    });
  }

  it('hides none of the schemas within', () => {
    assertRefused(
      withA({ type: 'array', uniqueItems: true, items: { ...TEXT, minItems: 1 } }),
      ['#/properties/a/uniqueItems', /leave it out/],
      ['#/properties/a/items/minItems', /is not supported for the type string/],
    );
    assertRefused(
      withA({ type: 'object', minProperties: 1, properties: { b: { type: 'text' } } }),
      ['#/properties/a/minProperties', /use required/],
      ['#/properties/a/properties/b/type', /must be one of/],
    );
  });

  it('is named at the top, too', () => {
    assertRefused(
      withKeywords({ allOf: [], minProperties: 1 }),
      ['#/allOf', /one schema/],
      ['#/minProperties', /use required/],
    );
  });

  it('is none if it is an annotation', () => {
    const annotations = {
      $comment: 'x',
      deprecated: true,
      example: 'x',
      externalDocs: {},
      'x-y': 1,
      title: 'A',
      format: 'email',
      contentMediaType: 'text/html',
    };
    resourceOfProgram(
      withA(
        { ...TEXT, ...annotations },
        { $id: 'x', $schema: 'y', $defs: { b: { not: {} } }, definitions: {} },
      ),
    );
  });
});

describe('a value of a keyword that does not fit', () => {
  for (const [a, pointer, detail] of [
    [{}, '/type', /must be present: one of string, integer/],
    [{ type: 'text' }, '/type', /must be one of string, /],
    [{ type: ['string', 'integer'] }, '/type', /or an array of one of them and "null"/],
    [{ type: ['string', 'null', 'integer'] }, '/type', /must be one of/],
    [{ type: ['null', 'null'] }, '/type', /must be one of/],
    [{ type: 'null' }, '/type', /must be one of/],
    [7, '', /must be a schema: an object/],
    [true, '', /must be a schema: an object/],
    [{ ...TEXT, minLength: -1 }, '/minLength', /must be an integer from 0/],
    [{ ...TEXT, maxLength: 'x' }, '/maxLength', /must be an integer/],
    [{ ...TEXT, minLength: 3, maxLength: 2 }, '/maxLength', /must be at least minLength, 3/],
    [{ type: 'number', minimum: 1, maximum: 0.5 }, '/maximum', /must be at least minimum, 1/],
    [{ type: 'number', minimum: '1' }, '/minimum', /must be a number/],
    [
      { ...TEXT, pattern: '[' },
      '/pattern',
      /must be a regular expression \(ECMA-262, with the flag u\)/,
    ],
    [{ ...TEXT, pattern: '\\-' }, '/pattern', /must be a regular expression/],
    [{ ...TEXT, pattern: '(a+)+$' }, '/pattern', /takes more than 50 ms/],
    [{ ...TEXT, pattern: '^foo(z+)+$' }, '/pattern', /takes more than 50 ms/],
    [{ ...TEXT, pattern: '^(x+x+)+y' }, '/pattern', /takes more than 50 ms/],
    [{ ...TEXT, pattern: '^(é+)+$' }, '/pattern', /takes more than 50 ms/],
    [{ ...TEXT, pattern: '^(?:-+)+$' }, '/pattern', /takes more than 50 ms/],
    [{ ...TEXT, pattern: '^(\\W+)+;$' }, '/pattern', /takes more than 50 ms/],
    [{ enum: [] }, '/enum', /must have at least one item/],
    [
      { enum: ['a', 1] },
      '/enum/1',
      /must be a string or null, not 1; numbers have minimum and maximum/,
    ],
    [{ ...TEXT, enum: ['a', null] }, '/enum', /must not have null/],
    [{ type: ['string', 'null'], enum: ['a'] }, '/enum', /must have null, which the type has/],
    [{ type: 'array', items: [TEXT] }, '/items', /must be an object/],
    [{ type: 'object', properties: [] }, '/properties', /must be an object/],
    [
      { type: 'object', properties: {}, additionalProperties: true },
      '/additionalProperties',
      /must be false, or absent, not true; STRICT=off ignores/,
    ],
    [
      { type: 'object', properties: { b: TEXT }, required: ['c'] },
      '/required/0',
      /must be the name of a property/,
    ],
    [{ ...TEXT, default: 7 }, '/default', /must be a string/],
    [{ ...TEXT, default: null }, '/default', /must be a string/],
    [{ ...TEXT, enum: ['a'], default: 'b' }, '/default', /must be "a"/],
    [
      { ...TEXT, maxLength: 2, examples: ['a', 'abc'] },
      '/examples/1',
      /must be at most 2 characters/,
    ],
    [
      { type: 'array', items: { type: 'integer' }, default: ['x'] },
      '/default/0',
      /must be an integer/,
    ],
    [
      { type: 'integer', format: 'int32', default: 2 ** 31 },
      '/default',
      /must be at most 2147483647/,
    ],
    [
      { ...TEXT, format: 'date-time', default: '2026-11-20' },
      '/default',
      /must be a date-time with Z/,
    ],
    [
      { ...TEXT, format: 'date-time', minLength: 1 },
      '/minLength',
      /is not supported for the type string/,
    ],
    [{ ...TEXT, readOnly: 'yes' }, '/readOnly', /must be true or false/],
    [{ ...TEXT, readOnly: true }, '/readOnly', /needs a default beside it, or null/],
    [
      { type: 'object', properties: { b: { ...TEXT, readOnly: true } } },
      '/properties/b/readOnly',
      /is for members of an item/,
    ],
  ] as const) {
    it(`is named: ${JSON.stringify(a)}`, () => {
      assertRefused(withA(a), [`#/properties/a${pointer}`, detail]);
    });
  }

  it('is a read-only date-time with a name of a change', () => {
    for (const name of [
      'updatedAt',
      'updated_at',
      'modifiedAt',
      'lastLogin',
      'dateModified',
      'changedOn',
      'editedAt',
    ]) {
      const schema = {
        title: 'Note',
        type: 'object',
        properties: { [name]: { ...TEXT, format: 'date-time', readOnly: true } },
      };
      assertRefused(schema, [
        `#/properties/${name}/readOnly`,
        /needs "x-updated" beside it: true for the time of the last change, else false/,
      ]);
    }
  });

  it('is x-updated beside anything but a read-only date-time without a default', () => {
    const time = { ...TEXT, format: 'date-time' };
    for (const a of [
      { ...time, 'x-updated': true },
      { ...TEXT, readOnly: true, default: 'x', 'x-updated': true },
      { ...time, readOnly: true, default: '2026-01-01T00:00:00Z', 'x-updated': true },
    ]) {
      assertRefused(withA(a), ['#/properties/a/x-updated', /is for a date-time that is readOnly/]);
    }
    const updatedAt = { ...time, readOnly: true, 'x-updated': false };
    resourceOfProgram({ title: 'Note', type: 'object', properties: { a: TEXT, updatedAt } });
  });

  it('is a const that is no string, not in the enum, or without the null of the type', () => {
    assertRefused(withA({ const: 1 }), ['#/properties/a/const', /must be a string/]);
    assertRefused(withA({ const: 'x', enum: ['y'] }), [
      '#/properties/a/const',
      /must be one of enum/,
    ]);
    assertRefused(withA({ const: 'x', type: ['string', 'null'] }), [
      '#/properties/a/const',
      /must have null/,
    ]);
  });

  it('is an id that the service cannot assign', () => {
    const withId = (id: unknown) => ({
      title: 'Note',
      type: 'object',
      properties: { id, a: TEXT },
    });
    assertRefused(withId(TEXT), [
      '#/properties/id/type',
      /must be integer, or leave the property out/,
    ]);
    assertRefused(withId({ type: ['integer', 'null'] }), [
      '#/properties/id/type',
      /must be integer/,
    ]);
    assertRefused(withId({ type: 'integer', minimum: 0.5 }), [
      '#/properties/id/minimum',
      /must be an integer/,
    ]);
    assertRefused(withId({ type: 'integer', format: 'int32', maximum: 2 ** 31 }), [
      '#/properties/id/maximum',
      /must be at most 2147483647/,
    ]);
    assertRefused(withId({ type: 'integer', maximum: 0 }), [
      '#/properties/id/maximum',
      /must be at least/,
    ]);
    const { fields } = resourceOfProgram(withId({ type: 'integer', minimum: -3, maximum: 9 }));
    assert.deepEqual(fields.id.identity, { from: -3, to: 9 });
  });
});

describe('the properties of a resource', () => {
  it('have names that parameters and conditions can have', () => {
    for (const name of ['sort', 'limit', 'offset', 'search', 'where', 'and', 'or', 'not', '_']) {
      assertRefused(withKeywords({ properties: { [name]: TEXT } }), [
        `#/properties/${name}`,
        /has the name of a parameter.*rename it/,
      ]);
    }
    for (const name of [
      'a.b',
      '9a',
      'a b',
      'é',
      'x'.repeat(65),
      'constructor',
      '__proto__',
      'toString',
    ]) {
      const properties = JSON.parse(`{${JSON.stringify(name)}:{"type":"string"}}`);
      const [[pointer, detail] = assert.fail(name)] = violationsOf(() =>
        resourceOfProgram(withKeywords({ properties })),
      );
      assert(pointer.startsWith('#/properties'), `${name}: ${pointer}`);
      assert.match(detail, /must have a name of up to 64|must have a property/);
    }
    assertRefused(withKeywords({ properties: { dueAt: TEXT, dueat: TEXT } }), [
      '#/properties/dueat',
      /differs from dueAt by letter case alone; rename it/,
    ]);
    const within = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}');
    assertRefused(withA({ type: 'object', properties: within }), [
      '#/properties/a/properties/__proto__',
      /has the name of a member of every object; rename it/,
    ]);
    // The id is there in any case.
    assertRefused(withKeywords({ properties: { ID: TEXT } }), [
      '#/properties/ID',
      /differs from id by letter case alone; rename it/,
    ]);
    resourceOfProgram(
      withKeywords({ properties: { $a: TEXT, _b: TEXT, 'c-d': TEXT, Sort: TEXT } }),
    );
  });

  it('are one to 50', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, TEXT]));
    resourceOfProgram(withKeywords({ properties: many(50) }));
    assertRefused(withKeywords({ properties: many(51) }), [
      '#/properties',
      /at most 50 properties/,
    ]);
    for (const properties of [{}, { id: { type: 'integer' } }]) {
      assertRefused(withKeywords({ properties }), [
        '#/properties',
        /must have a property besides id/,
      ]);
    }
  });

  it('are of an object', () => {
    assertRefused(withKeywords({ type: 'array' }), [
      '#/properties',
      /is not supported for the type array/,
    ]);
    assertRefused({ title: 'Note', type: 'string' }, [
      '#/type',
      /must be object, the type of an item/,
    ]);
    assertRefused(withKeywords({ type: ['object', 'null'] }), ['#/type', /must be object/]);
    assertRefused(withKeywords({ required: ['id', 'b'] }), [
      '#/required/1',
      /must be the name of a property/,
    ]);
    for (const schema of [undefined, null, 7, []]) {
      assert.match(
        violationsOf(() => resourceOfProgram(schema as never))[0]?.[1] ?? '',
        /must be a schema/,
      );
    }
  });

  it('may be required even without a property for the id', () => {
    const { fields } = resourceOfProgram(withKeywords({ required: ['id', 'a'] }));
    assert.deepEqual(Object.keys(fields), ['id', 'a']);
  });
});

describe('a reference', () => {
  const $defs = {
    Text: { ...TEXT, minLength: 2, description: 'A text.' },
    Chain: { $ref: '#/$defs/Text' },
    Loop: { $ref: '#/$defs/Loop' },
    Tree: { type: 'object', properties: { child: { $ref: '#/$defs/Tree' } } },
    'a/b~c d': TEXT,
    Bad: { ...TEXT, minLenght: 1 },
  };

  it('stands for the schema that it leads to, with the annotations beside it', () => {
    const { fields } = resourceOfProgram(
      withA({ $ref: '#/$defs/Chain', description: 'Mine.', default: 'xy' }, { $defs }),
    );
    assert.deepEqual(fields.a?.rules?.minLength, 2);
    assert.deepEqual([fields.a?.description, fields.a?.create?.default], ['Mine.', 'xy']);
    assert.equal(
      resourceOfProgram(withA({ $ref: '#/$defs/Text' }, { $defs })).fields.a?.description,
      'A text.',
    );
    resourceOfProgram(withA({ $ref: '#/$defs/a~1b~0c%20d' }, { $defs }));
    const nullable = { anyOf: [{ type: 'null' }, { $ref: '#/$defs/Text' }], title: 'A' };
    assert.equal(resourceOfProgram(withA(nullable, { $defs })).fields.a?.takesNull, true);
  });

  it('is refused if it leads elsewhere, nowhere, or back to itself', () => {
    for (const [$ref, detail] of [
      ['other.json#/a', /must be of this document/],
      ['https://example.com/x', /must be of this document/],
      [7, /must be of this document/],
      ['#/$defs/None', /there is none at #\/\$defs\/None/],
    ] as const) {
      assertRefused(withA({ $ref }, { $defs }), ['#/properties/a/$ref', detail]);
    }
    assertRefused(withA({ $ref: '#/$defs/Loop' }, { $defs }), [
      '#/$defs/Loop/$ref',
      /must not lead back to itself/,
    ]);
    assertRefused(withA({ $ref: '#/$defs/Tree' }, { $defs }), [
      '#/$defs/Tree/properties/child',
      /must not lead back to itself/,
    ]);
    assertRefused(withA({ type: 'array', items: { $ref: '#' } }), [
      '#/properties/a',
      /must not lead back to itself/,
    ]);
  });

  it('has its violations at their places', () => {
    assertRefused(withA({ $ref: '#/$defs/Bad' }, { $defs }), [
      '#/$defs/Bad/minLenght',
      /minLength/,
    ]);
    assertRefused(withA({ $ref: '#/$defs/Text', default: 'x' }, { $defs }), [
      '#/properties/a/default',
      /at least 2/,
    ]);
    assertRefused(withA({ $ref: '#/$defs/Text', maxLength: 3 }, { $defs }), [
      '#/properties/a/maxLength',
      /is not supported beside \$ref/,
    ]);
  });

  it('in anyOf stands beside null alone', () => {
    for (const anyOf of [
      [],
      [TEXT],
      [TEXT, TEXT],
      [TEXT, TEXT, { type: 'null' }],
      [{ type: 'null' }, { type: 'null' }],
      7,
    ]) {
      assertRefused(withA({ anyOf }), [
        '#/properties/a/anyOf',
        /must have two schemas, of which one is/,
      ]);
    }
    assertRefused(withA({ anyOf: [{ ...TEXT, foo: 1 }, { type: 'null' }] }), [
      '#/properties/a/anyOf/0/foo',
      /is not supported/,
    ]);
    assertRefused(withA({ anyOf: [TEXT, { type: 'null' }], maxLength: 1 }), [
      '#/properties/a/maxLength',
      /beside anyOf/,
    ]);
  });
});

describe('the examples of a resource', () => {
  it('must be valid create requests, without read-only members', () => {
    assertRefused(
      withKeywords({ examples: [{ a: 'x' }, { a: 7, b: 1 }, 'x'] }),
      ...([
        ['#/examples/1/a', /must be a string/],
        ['#/examples/1/b', /is unknown/],
        ['#/examples/2', /must be an object/],
      ] as const),
    );
    resourceOfProgram(withKeywords({ examples: [{ id: 7, a: 'x' }] }));
  });

  it('are samples of the page, or else one follows from the properties, if it is valid', () => {
    assert.equal(NOTE.api.examples.batch.length, 2);
    const required = (a: unknown) =>
      resourceOfProgram(withA(a, { required: ['a'] })).api.examples.batch;
    for (const [a, sample] of [
      [TEXT, 'a'],
      [{ enum: ['x', 'y'] }, 'x'],
      [{ ...TEXT, examples: ['Ghent'] }, 'Ghent'],
      [{ type: 'integer' }, 1],
      [{ type: 'integer', minimum: 5 }, 5],
      [{ type: 'number', minimum: -0.5 }, -0.5],
      [{ type: 'boolean' }, true],
      [{ type: 'array', items: TEXT }, []],
      [{ type: 'object' }, {}],
      [{ ...TEXT, format: 'date-time' }, '2026-11-20T09:30:00.123Z'],
    ] as const) {
      assert.deepEqual(required(a), [{ a: sample }], JSON.stringify(a));
    }
    assert.deepEqual(required({ ...TEXT, pattern: '^\\d+$' }), []);
    assert.deepEqual(required({ ...TEXT, minLength: 3 }), []);
    assert.deepEqual(
      resourceWith({ a: { ...TEXT, examples: ['x'] }, b: TEXT }).api.examples.batch,
      [{ a: 'x' }],
    );
  });
});

it('all violations come at once, and the message has the first ten', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [`a${i}`, { type: 'text' }]),
  );
  assert.throws(
    () => resourceOfProgram(withKeywords({ properties })),
    (error) => {
      assert(error instanceof InvalidInputError);
      assert.equal(error.violations.length, 12);
      assert.match(
        error.message,
        /^the resource is invalid: 12 violations: \(1\) #\/properties\/a0\/type must .*\(10\) [^#]*#\/properties\/a9\/type [^#]*$/,
      );
      return true;
    },
  );
});

it('a schema of a program may have functions and undefined members, which are no JSON', () => {
  const schema = { ...NOTE_SCHEMA, description: undefined, toString: () => 'x' };
  assert.match(violationsOf(() => resourceOfProgram(schema))[0]?.[1] ?? '', /must be a schema/);
  const { toString: _, ...plain } = schema;
  assert.equal(resourceOfProgram(plain).name, 'Note');
});
