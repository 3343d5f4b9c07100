import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/lib/json/json-object.ts';
import type { JsonSchema } from '../../../../src/lib/json/schema.ts';
import { rulesOf } from '../../../../src/service/resource/definition.ts';
import { contentShape } from '../../../../src/service/resource/item-content.ts';
import type { Shape } from '../../../../src/service/resource/shape.ts';
import { Validation } from '../../../../src/service/resource/validation.ts';
import { propertyOptions } from '../../../support/property.ts';
import { VARIANTS } from '../../../support/service.ts';

/** Values on both sides of every limit, and of all JSON types. */
const values = fc.oneof(
  fc.constantFrom(
    ...[null, true, false, 0, 1, 3, 5, 6, -1, 3.5, '', ' ', '\u00a0\u2003', 'x', '3', [], {}],
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

function isValid(shape: Shape<unknown>, body: JsonObject): boolean {
  const validation = new Validation();
  shape.read(body, validation);
  return validation.violations.length === 0;
}

/** Content without read-only members, which have rules that their schemas do not state. */
function withoutReadOnly(body: JsonObject, { properties = {} }: JsonSchema): JsonObject {
  const isReadOnly = (name: string) => Object(properties)[name]?.readOnly === true;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !isReadOnly(name)));
}

/** Whether content has unknown names alone, which is refused also if they are ignored. */
function isAllUnknown(body: JsonObject, { properties = {} }: JsonSchema): boolean {
  const names = Object.keys(body);
  return names.length > 0 && names.every((name) => !Object.hasOwn(Object(properties), name));
}

for (const variant of VARIANTS) {
  const { name } = variant;
  describe(`shapes of content, variant ${name.toUpperCase()}`, () => {
    const cases = (['create', 'update', 'patch'] as const).flatMap((request) =>
      [true, false].map((isStrict) => ({ request, isStrict })),
    );
    for (const { request, isStrict } of cases) {
      const shape = contentShape(rulesOf(variant, isStrict), request);
      const { schema } = shape;
      const accepts = new Ajv2020({ strict: true, validateFormats: false }).compile(schema);

      it(`of ${request}, strict ${isStrict}, accept the same content as their JSON Schema`, () => {
        fc.assert(
          fc.property(bodies, (sent: JsonObject) => {
            // Without strictness, read-only members have no rules.
            const body = isStrict ? withoutReadOnly(sent, schema) : sent;
            const isRefused = !isStrict && request !== 'create' && isAllUnknown(body, schema);
            const isAccepted = isValid(shape, body);
            const isValidBySchema = accepts(withoutReadOnly(body, schema)) && !isRefused;
            assert.equal(isAccepted, isValidBySchema, JSON.stringify(accepts.errors));
          }),
          propertyOptions(300),
        );
      });
    }

    it('ignore the prototype of the content', () => {
      const inherited: JsonObject = Object.create({ title: 'inherited' });
      assert.equal(isValid(contentShape(rulesOf(variant, true), 'create'), inherited), false);
    });
  });
}
