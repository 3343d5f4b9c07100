import {
  isRefusedEarly,
  JSON_MEDIA_TYPES,
  jsonResponse,
  type Request,
} from '../../lib/http/index.ts';
import { byteString, NamedSchema, objectSchema } from '../../lib/json/index.ts';
import { adminRoute, jsonOperation } from '../admin/admin-route.ts';
import { type KnownPaths, pathInList } from '../admin/request-matching.ts';
import type { Feature } from '../feature.ts';
import { ListSite } from '../items/item-list.ts';
import type { DescribedRoute, RequestContent } from '../operation.ts';
import { isReserved } from '../reserved-paths.ts';
import { objectIn, readContent } from '../resource/request-content.ts';
import { object } from '../resource/shape.ts';
import type { Fault } from './fault.ts';
import { EFFECTS } from './fault-combinations.ts';
import { faultList, faultShape, MAX_FAULTS } from './fault-rules.ts';
import { Faults } from './faults.ts';
import type { StoredFault } from './stored-fault.ts';

/**
 * Injects faults, each list its own (testing.md: "Faults").
 * @param initial the faults of each new list
 * @param maxBytes the maximum of the JSON of the faults of all lists
 */
export function faultInjection(
  paths: KnownPaths,
  initial: readonly StoredFault[],
  maxBytes: number,
): Feature {
  const memory = { bytes: 0, maxBytes };
  const pathOf = (request: Request) => pathInList(request, paths.basePath);
  return {
    routes: faultRoutes(paths),
    newListFeature: (_budget, onChange) => new Faults(initial, { onChange, memory }),
    intercept: (request) =>
      isReserved(request.localPath) || isRefusedEarly(request)
        ? undefined
        : faultsOf(request).interceptorFor(request, pathOf(request)),
    mayIntercept: (request) =>
      !isReserved(request.localPath) && faultsOf(request).mayHit(request, pathOf(request)),
  };
}

function faultsOf(request: Request): Faults {
  return ListSite.of(request).list.feature(Faults);
}

function faultRoutes(paths: KnownPaths): readonly DescribedRoute[] {
  const { content, listed } = faultLists(paths);
  const listOperation = (change: (faults: Faults, request: Request) => void) =>
    jsonOperation('All faults, also those that have ended.', listed, (request) => {
      const faults = faultsOf(request);
      change(faults, request);
      return jsonResponse(200, byteString(`{"faults":${faults.json}}`));
    });
  return [
    adminRoute('GET', 'faults', {
      id: 'getFaults',
      summary: 'Get the faults',
      description: 'Each with the number of its hits.',
      ...listOperation(() => {}),
    }),
    adminRoute('PUT', 'faults', {
      id: 'setFaults',
      summary: 'Set the faults',
      description:
        'Replaces all faults, and ends the delays of the previous ones. All faults that hit a request ' +
        'are applied together; of those with `status` or `abort`, the first one.',
      content,
      errors: [507],
      ...listOperation((faults, request) => faults.set(content.readFrom(request))),
    }),
    adminRoute('DELETE', 'faults', {
      id: 'clearFaults',
      summary: 'Remove all faults',
      description: 'Ends their delays. The response has an empty list.',
      ...listOperation((faults) => faults.set([])),
    }),
  ];
}

const PAGE = { headers: { 'Content-Type': 'text/html' }, content: '<h1>Bad Gateway</h1>' };

function examplesFor({
  collection: path,
}: KnownPaths): Readonly<Record<string, { readonly faults: readonly Fault[] }>> {
  return {
    'a slow service of which a third fails': {
      faults: [{ rate: 0.3, status: 503 }, { delayMs: 300 }],
    },
    'two failures, then success': {
      faults: [{ path, status: 503, headers: { 'Retry-After': '1' }, times: 2 }],
    },
    'a member is missing': { faults: [{ path, contentPatch: { priority: null } }] },
    'the page of a gateway': { faults: [{ status: 502, ...PAGE }] },
  };
}

/** The content of a request that sets the faults, and the schema of their list. */
function faultLists(paths: KnownPaths) {
  const faults = faultList(paths);
  const content = object<{ faults: readonly StoredFault[] }>({
    faults: { ...faults, isRequired: true },
  });
  const fault = new NamedSchema('Fault', () => ({
    description: `A fault, and the conditions of its requests. Needs one of ${EFFECTS.join(', ')}.`,
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
  const described: RequestContent<readonly StoredFault[]> = {
    mediaTypes: JSON_MEDIA_TYPES,
    schema: listOf('Faults', fault),
    examples: examplesFor(paths),
    readFrom: (request) => {
      const given = objectIn(request, () => 'send {"faults": […]}');
      return readContent(content, given).faults;
    },
  };
  return { content: described, listed: listOf('ListedFaults', listedFault) };
}

function listOf(name: string, items: NamedSchema): NamedSchema {
  const faults = { type: 'array', items, maxItems: MAX_FAULTS };
  return new NamedSchema(name, () => objectSchema({ faults }));
}
