import { JSON_MEDIA_TYPES } from '../../lib/http/index.ts';
import { NamedSchema, objectSchema } from '../../lib/json/index.ts';
import type { RequestContent } from '../operation.ts';
import { objectOf, readContent } from '../resource/content.ts';
import { object } from '../resource/shape.ts';
import type { Fault } from './fault.ts';
import { faultList, faultShape, MAX_FAULTS } from './fault-shape.ts';
import type { KnownPaths } from './scope.ts';

const PAGE = { headers: { 'Content-Type': 'text/html' }, content: '<h1>Bad Gateway</h1>' };

function examplesFor(
  path: string,
): Readonly<Record<string, { readonly faults: readonly Fault[] }>> {
  return {
    'a slow service of which a third fails': {
      faults: [{ rate: 0.3, status: 503, delayMs: 300 }, { delayMs: 300 }],
    },
    'two failures, then success': {
      faults: [{ path, status: 503, headers: { 'Retry-After': '1' }, times: 2 }],
    },
    'the page of a gateway': { faults: [{ status: 502, ...PAGE }] },
  };
}

/** The content of a request that sets the faults, and the schema of their list. */
export function faultLists(paths: KnownPaths) {
  const faults = faultList(paths);
  const content = object<{ faults: readonly Fault[] }>({ faults: { ...faults, isRequired: true } });
  const fault = new NamedSchema('Fault', () => ({
    description:
      'A fault, and the conditions of its requests. Needs `delayMs`, `abort` or `status`.',
    ...faultShape(paths).schema,
  }));
  const listedFault = new NamedSchema('ListedFault', () => {
    const { properties } = faultShape(paths).schema;
    const hits = { type: 'integer', minimum: 0 };
    return {
      description: 'A fault with the number of its hits.',
      type: 'object',
      required: ['hits'],
      properties: { ...Object(properties), content: { description: 'Any JSON value.' }, hits },
    };
  });
  const described: RequestContent<readonly Fault[]> = {
    mediaTypes: JSON_MEDIA_TYPES,
    schema: listOf('Faults', fault),
    examples: examplesFor(paths.collection),
    of: (request) => {
      const given = objectOf(request, () => 'send {"faults": […]}');
      return readContent(content, given).faults;
    },
  };
  return { content: described, listed: listOf('ListedFaults', listedFault) };
}

function listOf(name: string, items: NamedSchema): NamedSchema {
  const faults = { type: 'array', items, maxItems: MAX_FAULTS };
  return new NamedSchema(name, () => objectSchema({ faults }));
}
