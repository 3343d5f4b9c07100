import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Field, inputMemberOf } from '../../../../src/service/resource/field.ts';

const TEXT = { kind: 'text', description: 'A text.' } as const;
const assign = () => () => 'assigned';

interface Case {
  readonly field: Partial<Field>;
  /** Whether a create request must have the field; undefined if it ignores the field. */
  readonly required?: boolean;
  /** The value of an absent member. */
  readonly value?: string | null;
}

describe('a field of a create request', () => {
  const cases: Readonly<Record<string, Case>> = {
    'is required if it has no other source of a value': { field: {}, required: true },
    'can be required all the same': {
      field: { default: 'x', create: { required: true } },
      required: true,
    },
    'has the default that is stored': {
      field: { default: 'x', create: {} },
      required: false,
      value: 'x',
    },
    'has its own default before that': {
      field: { default: 'x', nullable: true, create: { default: 'y' } },
      required: false,
      value: 'y',
    },
    'has its own default alone': {
      field: { create: { default: 'y' } },
      required: false,
      value: 'y',
    },
    'is null if it may be': { field: { nullable: true, create: {} }, required: false, value: null },
    'is ignored without options': { field: { default: 'x' } },
    'is ignored where the service assigns it': { field: { assign, create: { required: true } } },
    'is ignored where it is an id': { field: { identity: { from: 1, to: 9 }, create: {} } },
  };
  for (const [title, { field, required, value }] of Object.entries(cases)) {
    it(title, () => {
      const member = inputMemberOf({ ...TEXT, ...field }, 'create');
      assert.equal(member?.isRequired, required);
      assert.equal(member?.fallback, value);
    });
  }
});
