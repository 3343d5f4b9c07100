import { PROBLEMS } from '../http/core/problem.ts';
import { NamedSchema } from '../json/schema.ts';

/** The content of every response that is an error. */
export const PROBLEM_SCHEMA = new NamedSchema('Problem', {
  description: 'Problem details (RFC 9457).',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', format: 'uri-reference' },
    code: { enum: Object.keys(PROBLEMS) },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'detail'],
        properties: {
          pointer: { type: 'string' },
          code: { type: 'string' },
          detail: { type: 'string' },
        },
      },
    },
  },
});
