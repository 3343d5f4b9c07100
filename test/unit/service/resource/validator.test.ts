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

function isValid(validate: Validator, body: JsonObject): boolean {
  const validation = new Validation();
  validate(body, validation);
  return validation.violations.length === 0;
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
            const isAccepted = isValid(validate, body);
            assert.equal(isAccepted, accepts(body), JSON.stringify(accepts.errors));
          }),
          propertyOptions(500),
        );
      });
    }

    it('ignore the prototype of the content', () => {
      const inherited: JsonObject = Object.create({ title: 'inherited' });
      assert.equal(isValid(validatorOf(fields, 'create'), inherited), false);
    });
  });
}
