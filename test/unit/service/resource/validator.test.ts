import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/lib/json/json-object.ts';
import { contentSchema } from '../../../../src/service/resource/schema.ts';
import { Validation } from '../../../../src/service/resource/validation.ts';
import { type Validator, validatorOf } from '../../../../src/service/resource/validator.ts';
import { propertyOptions } from '../../../support/property.ts';
import { VARIANTS } from '../../../support/service.ts';

/** Values on both sides of every limit, and of all JSON types. */
const values = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    1,
    3,
    5,
    6,
    -1,
    3.5,
    '',
    ' ',
    '\u00a0\u2003',
    'x',
    '3',
    [],
    {},
  ),
  fc.integer({ min: 0, max: 7 }),
  fc.double(),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc
    .constantFrom(199, 200, 201, 999, 1000, 1001)
    .chain((length) => fc.constantFrom('x', '😀', ' ').map((c) => c.repeat(length))),
);

const bodies = fc.dictionary(
  fc.constantFrom('title', 'description', 'completed', 'priority', 'id', 'createdAt', 'unknown'),
  values,
  { noNullPrototype: true },
);

function validationOf(validate: Validator, body: JsonObject) {
  const validation = new Validation();
  const values = validate(body, validation);
  return { ok: validation.violations.length === 0, values };
}

for (const { name, fields } of VARIANTS) {
  describe(`validators, variant ${name.toUpperCase()}`, () => {
    for (const [request, validate, schema] of [
      ['create', validatorOf(fields, 'create'), contentSchema(fields, 'create')],
      ['update', validatorOf(fields, 'update'), contentSchema(fields, 'update')],
      ['patch', validatorOf(fields, 'patch'), contentSchema(fields, 'patch')],
    ] as const) {
      const accepts = new Ajv2020({ strict: true, validateFormats: false }).compile(schema);

      it(`of ${request} accept the same content as the JSON Schema of ${request}`, () => {
        fc.assert(
          fc.property(bodies, (body: JsonObject) => {
            const { ok } = validationOf(validate, body);
            assert.equal(ok, accepts(body), JSON.stringify(accepts.errors));
          }),
          propertyOptions(500),
        );
      });
    }

    it('give every field of a create a value', () => {
      const validation = validationOf(validatorOf(fields, 'create'), { title: 'x' });
      assert(validation.ok);
      const creatable = Object.keys(fields).filter((name) => fields[name]?.create !== undefined);
      assert.deepEqual(Object.keys(validation.values), creatable);
      const { title, description, priority } = validation.values;
      assert.deepEqual([title, description, priority], ['x', '', 3]);
    });

    it('give an update only the fields that are present', () => {
      const validate = validatorOf(fields, 'update');
      assert.deepEqual(validationOf(validate, { title: null, completed: false }), {
        ok: true,
        values: { completed: false },
      });
      assert.deepEqual(validationOf(validate, { id: 1, unknown: 2 }), { ok: true, values: {} });
    });

    it('give a patch null where it removes a value, and only there', () => {
      const validate = validatorOf(fields, 'patch');
      const isNullable = fields.description?.nullable === true;
      const { ok } = validationOf(validate, { description: null });
      assert.equal(ok, isNullable);
      for (const body of [{ title: null }, { priority: null }]) {
        assert.equal(validationOf(validate, body).ok, false);
      }
      assert.deepEqual(validationOf(validate, { id: null, completed: true }), {
        ok: true,
        values: { completed: true },
      });
    });

    it('ignore the prototype of the content', () => {
      const inherited: JsonObject = Object.create({ title: 'inherited' });
      assert.equal(validationOf(validatorOf(fields, 'create'), inherited).ok, false);
    });
  });
}
