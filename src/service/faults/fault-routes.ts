import {
  isRefusedEarly,
  JSON_MEDIA_TYPES,
  jsonResponse,
  type Middleware,
  type Request,
} from '../../lib/http/index.ts';
import { byteString, exactJsonText, NamedSchema, objectSchema } from '../../lib/json/index.ts';
import { adminRoute, jsonOperation } from '../admin/admin-route.ts';
import { type KnownPaths, pathInList } from '../admin/request-scope.ts';
import { isExempt } from '../exempt-paths.ts';
import type { Feature } from '../feature.ts';
import type { DescribedRoute, RequestContent } from '../operation.ts';
import { objectIn, readContent } from '../resource/request-content.ts';
import { object } from '../resource/shape.ts';
import { PartOfLists, TodoList } from '../todo/todo-list.ts';
import type { Fault } from './fault.ts';
import { faultList, faultShape, MAX_FAULTS } from './fault-rules.ts';
import { Faults } from './faults.ts';

/** Faults of requests, each list its own (testing.md: "Faults"). */
export class FaultFeature implements Feature {
  readonly routes: readonly DescribedRoute[];
  readonly #faults: PartOfLists<Faults>;
  readonly #basePath: string;

  /** @param initial the faults of each new list */
  constructor(paths: KnownPaths, initial: readonly Fault[]) {
    this.routes = faultRoutes(paths, (request) => this.of(TodoList.of(request)));
    this.#faults = new PartOfLists(() => new Faults(initial));
    this.#basePath = paths.basePath;
  }

  of(list: TodoList): Faults {
    return this.#faults.of(list);
  }

  readonly middleware: Middleware = (next) => (request) => {
    if (isExempt(request.localPath) || isRefusedEarly(request)) return next(request);
    return this.of(TodoList.of(request)).respond(
      request,
      pathInList(request, this.#basePath),
      next,
    );
  };

  /** Whether a fault may respond to a request. */
  mayRespond(request: Request): boolean {
    return (
      !isExempt(request.localPath) &&
      this.of(TodoList.of(request)).mayHit(request, pathInList(request, this.#basePath))
    );
  }

  onEnd(list: TodoList): void {
    this.of(list).stop();
  }
}

/** The routes of the faults. @param faultsOf returns the faults of the list of a request */
function faultRoutes(
  paths: KnownPaths,
  faultsOf: (request: Request) => Faults,
): readonly DescribedRoute[] {
  const { content, listed } = faultLists(paths);
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
function faultLists(paths: KnownPaths) {
  const faults = faultList(paths);
  const content = object<{ faults: readonly Fault[] }>({ faults: { ...faults, isRequired: true } });
  const fault = new NamedSchema('Fault', () => ({
    description:
      'A fault, and the conditions of its requests. Needs `delayMs`, `responseDelayMs`, `abort` or `status`.',
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
