import { JSON_MEDIA_TYPES, jsonObjectOf } from '../../../lib/http/index.ts';
import { mapValues, NamedSchema, objectSchema } from '../../../lib/json/index.ts';
import type { RequestContent } from '../../operation.ts';
import type { Fault } from '../control/fault.ts';
import { effectNames, MAX_FAULTS } from '../control/fault-list.ts';
import type { Faults } from '../control/faults.ts';

const PAGE = { headers: { 'Content-Type': 'text/html' }, content: '<h1>Bad Gateway</h1>' };

const EXAMPLES: Readonly<Record<string, { readonly faults: readonly Fault[] }>> = {
  'a slow service of which a third fails': {
    faults: [{ rate: 0.3, status: 503, delayMs: 300 }, { delayMs: 300 }],
  },
  'two failures, then success': {
    faults: [{ path: '/api/todos', status: 503, headers: { 'Retry-After': '1' }, times: 2 }],
  },
  'the page of a gateway': { faults: [{ status: 502, ...PAGE }] },
};

/** The content of a request that sets the faults, and the schema of their list. */
export function faultLists(faults: Faults) {
  const properties = mapValues(faults.members, ({ schema }) => schema);
  const effects = effectNames(faults.members).map((name) => `\`${name}\``);
  const fault = new NamedSchema('Fault', () => ({
    description: `A fault, and the conditions of its requests. Needs one of ${effects.join(', ')}.`,
    type: 'object',
    properties,
    additionalProperties: false,
  }));
  const listedFault = new NamedSchema('ListedFault', () => ({
    description: 'A fault with the number of its hits.',
    type: 'object',
    required: ['hits'],
    properties: { ...properties, hits: { type: 'integer', minimum: 0 } },
  }));
  const content: RequestContent<readonly Fault[]> = {
    mediaTypes: JSON_MEDIA_TYPES,
    schema: listOf('Faults', fault),
    examples: EXAMPLES,
    problems: ['malformed-body', 'validation-failed'],
    of: (request) => faults.check(jsonObjectOf(request)),
  };
  return { content, listed: listOf('ListedFaults', listedFault) };
}

function listOf(name: string, items: NamedSchema): NamedSchema {
  const faults = { type: 'array', items, maxItems: MAX_FAULTS };
  return new NamedSchema(name, () => objectSchema({ faults }));
}
