import { VIOLATION_CODES } from '../http/core/problem.ts';
import { NamedSchema } from '../json/schema.ts';

const VIOLATION_SCHEMA = new NamedSchema('Violation', () => ({
  description: 'A rule that the content of the request violates.',
  type: 'object',
  required: ['pointer', 'code', 'detail'],
  properties: {
    pointer: {
      type: 'string',
      pattern: '^#([/][^/]*)*$',
      description: 'Where: a JSON pointer (RFC 6901) as a URI fragment.',
    },
    code: { type: 'string', enum: VIOLATION_CODES, description: 'Which rule; it is stable.' },
    detail: { type: 'string', description: 'What is allowed, for people.' },
  },
}));

/**
 * The content of every response that is an error.
 * @param codes the codes of all errors of the API
 */
export function problemSchema(codes: readonly string[]): NamedSchema {
  return new NamedSchema('Problem', () => ({
    description: 'Problem details (RFC 9457).',
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
    properties: {
      type: { type: 'string', format: 'uri', description: 'The kind of problem, as a URN.' },
      title: { type: 'string', description: 'The kind of problem, for people.' },
      status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
      detail: { type: 'string', description: 'What is wrong with this request, for people.' },
      instance: {
        type: 'string',
        format: 'uri-reference',
        description: 'The path of the request; a `urn:uuid` if none could be read.',
      },
      code: {
        type: 'string',
        enum: codes,
        description: 'The kind of problem, to branch on; it is stable.',
      },
      errors: {
        type: 'array',
        items: VIOLATION_SCHEMA,
        description: 'With `validation-failed`: every violation, in the order of the fields.',
      },
    },
  }));
}
