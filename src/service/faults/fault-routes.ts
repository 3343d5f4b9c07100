import {
  isRefusedEarly,
  JSON_MEDIA_TYPES,
  jsonResponse,
  type Request,
} from '../../lib/http/index.ts';
import { byteString, exactJsonText, NamedSchema, objectSchema } from '../../lib/json/index.ts';
import { adminRoute, jsonOperation } from '../admin/admin-route.ts';
import { pathInList } from '../admin/request-matching.ts';
import type { Feature } from '../feature.ts';
import { ListSite } from '../items/item-list.ts';
import type { DescribedRoute, RequestContent } from '../operation.ts';
import { isReserved } from '../reserved-paths.ts';
import { objectIn, readContent } from '../resource/request-content.ts';
import { object } from '../resource/shape.ts';
import type { Fault } from './fault.ts';
import { faultList, faultShape, MAX_FAULTS } from './fault-rules.ts';
import type { FaultTargets } from './fault-targets.ts';
import { Faults } from './faults.ts';

/**
 * Injects faults, each list its own (testing.md: "Faults").
 * @param initial the faults of each new list
 */
export function faultInjection(targets: FaultTargets, initial: readonly Fault[]): Feature {
  const pathOf = (request: Request) => pathInList(request, targets.basePath);
  return {
    routes: faultRoutes(targets),
    newListFeature: (_budget, onChange) => new Faults(initial, { onChange, edits: targets.edits }),
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

function faultRoutes(targets: FaultTargets): readonly DescribedRoute[] {
  const { content, listed } = faultLists(targets);
  const listOperation = (change: (faults: Faults, request: Request) => void) =>
    jsonOperation('All faults, also those that have ended.', listed, (request) => {
      const faults = faultsOf(request);
      change(faults, request);
      // Contents keep all digits of their numbers.
      const text = exactJsonText({ faults: faults.list }, Number.POSITIVE_INFINITY);
      return jsonResponse(200, byteString(text ?? ''));
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
        'Replaces all faults, and ends the delays of the previous ones. Of the faults that match a ' +
        'request, only the first one that hits is applied, so the rarer fault comes first.',
      content,
      ...listOperation((faults, request) => faults.set(content.of(request))),
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
  edits,
}: FaultTargets): Readonly<Record<string, { readonly faults: readonly Fault[] }>> {
  return {
    'a slow service of which a third fails': {
      faults: [{ rate: 0.3, status: 503, delayMs: 300 }, { delayMs: 300 }],
    },
    'two failures, then success': {
      faults: [{ path, status: 503, headers: { 'Retry-After': '1' }, times: 2 }],
    },
    'another client changes the item first': {
      faults: [{ method: 'PUT', route: edits.route, times: 1, edit: { title: 'Buy oat milk' } }],
    },
    'the page of a gateway': { faults: [{ status: 502, ...PAGE }] },
  };
}

/** The content of a request that sets the faults, and the schema of their list. */
function faultLists(targets: FaultTargets) {
  const faults = faultList(targets);
  const content = object<{ faults: readonly Fault[] }>({ faults: { ...faults, isRequired: true } });
  const fault = new NamedSchema('Fault', () => ({
    description:
      'A fault, and the conditions of its requests. Needs `delayMs`, `responseDelayMs`, `edit`, `abort` or `status`.',
    ...faultShape(targets).schema,
  }));
  const listedFault = new NamedSchema('ListedFault', () => {
    const { properties } = faultShape(targets).schema;
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
    examples: examplesFor(targets),
    of: (request) => {
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
