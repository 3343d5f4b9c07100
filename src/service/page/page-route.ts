import {
  JSON_MEDIA_TYPE,
  qualityOf,
  type Response,
  tagHashOf,
  valueResponse,
} from '../../lib/http/index.ts';
import { exactJsonText, objectSchema } from '../../lib/json/index.ts';
import { type PageData, pageBundle } from '../../web-page/index.ts';
import type { Feature } from '../feature.ts';
import { ListSite } from '../items/item-list.ts';
import { ABOUT, type DescribedRoute, describedRoute, readPreconditions } from '../operation.ts';
import type { Definition } from '../resource/definition.ts';
import { pageItems } from './page-items.ts';

const HTML = 'text/html';

/** Caches store both representations separately, and revalidate them before reuse. */
const SHARED = {
  Vary: 'Accept',
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
};

const RESPONSE_FIELDS = {
  ETag: 'Changes if and only if the content changes.',
  'Cache-Control': 'Revalidate before reuse.',
  'X-Content-Type-Options': 'Tells browsers not to guess media types.',
  'Content-Security-Policy': 'The page loads nothing and connects to its own origin only.',
  'Referrer-Policy': 'Links of the page send no referrer.',
  'Cross-Origin-Opener-Policy': 'Isolates the page from pages of other origins.',
};

const TEXT = { type: 'string' };
const LINK = objectSchema({ href: { ...TEXT, format: 'uri-reference' }, title: TEXT, type: TEXT });
const INDEX = objectSchema({ title: TEXT, version: TEXT, links: { type: 'array', items: LINK } });

/** What the page says about the service. */
interface PageOptions {
  /** The path prefix of the service. The page does not learn that of a gateway. */
  readonly basePath: string;
  /** The maximum size of a seed over HTTP, in bytes. */
  readonly maxSeedBytes: number;
  /** Whether requests for items have to name a list. */
  readonly needsList: boolean;
}

/**
 * The route of `/` (api.md: "The page"): the page if `Accept` prefers HTML, else links.
 * @param events the path of the event stream, if there is one
 * @param listNames returns the names of the lists that both link at the base path
 */
export function page(
  { title, version }: Pick<PageData, 'title' | 'version'>,
  definition: Definition,
  { basePath, maxSeedBytes, needsList }: PageOptions,
  events: string | undefined,
  listNames: () => readonly string[],
): Feature {
  const faultPath = basePath + definition.api.collection;
  const newForms = ({ router: { routes }, mount }: ListSite, lists: readonly string[]) => {
    const isControlled = routes.some(({ operation }) => operation.needsToken);
    const facts = { title, version, lists, isControlled, faultPath, maxSeedBytes };
    const isClosed = needsList && mount.name === '';
    return new Forms({ ...facts, needsList: isClosed, ...pageItems(definition, events) }, routes);
  };
  let atBase: Forms | undefined;
  let inLists: Forms | undefined;
  const formsOf = (site: ListSite): Forms => {
    if (site.mount.name !== '') {
      inLists ??= newForms(site, []);
      return inLists;
    }
    const lists = listNames();
    if (atBase?.lists.join() !== lists.join()) atBase = undefined;
    atBase ??= newForms(site, lists);
    return atBase;
  };
  const route = describedRoute('GET', '/', {
    id: 'getPage',
    summary: 'Open the page, or get an index of links',
    description: 'HTML if `Accept` prefers it to JSON.',
    tag: ABOUT,
    arguments: [readPreconditions],
    responses: {
      200: {
        description: 'The page, or an index of links.',
        content: { [JSON_MEDIA_TYPE]: INDEX, [HTML]: TEXT },
        headers: RESPONSE_FIELDS,
      },
      304: { description: 'The content has not changed.', headers: RESPONSE_FIELDS },
    },
    handle: (request) => {
      const { accept } = request.headers;
      const forms = formsOf(ListSite.of(request));
      const prefersHtml = qualityOf(HTML, accept) > qualityOf(JSON_MEDIA_TYPE, accept);
      return prefersHtml ? forms.html : forms.index;
    },
  });
  return { routes: [route] };
}

/** Both representations of a mount, each made when it is first requested. */
class Forms {
  readonly #data: PageData;
  readonly #routes: readonly DescribedRoute[];
  #html: Promise<Response> | undefined;
  #index: Response | undefined;

  constructor(data: PageData, routes: readonly DescribedRoute[]) {
    this.#data = data;
    this.#routes = routes;
  }

  /** The names of the lists that they link. */
  get lists(): readonly string[] {
    return this.#data.lists;
  }

  get html(): Promise<Response> {
    this.#html ??= pageResponse(this.#data);
    return this.#html;
  }

  get index(): Response {
    this.#index ??= indexResponse(this.#data, this.#routes);
    return this.#index;
  }
}

async function pageResponse(data: PageData): Promise<Response> {
  const { html: bundled, policy } = await pageBundle();
  const json = (exactJsonText(data) ?? '').replaceAll('<', '\\u003c');
  const html = bundled.replace(/(?<=id="data">)/, () => json);
  return {
    status: 200,
    headers: {
      ...SHARED,
      ETag: `"${tagHashOf(html)}"`,
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
    },
    mediaType: `${HTML}; charset=utf-8`,
    // A buffer, because strings would be copied for each client.
    content: Buffer.from(html),
  };
}

function indexResponse(
  { title, version, lists }: PageData,
  routes: readonly DescribedRoute[],
): Response {
  const listLinks = lists.map((name) => {
    return { href: `lists/${name}/`, title: `The list ${name}`, type: JSON_MEDIA_TYPE };
  });
  const index = { title, version, links: [...routes.flatMap(linksTo), ...listLinks] };
  const tag = tagHashOf(JSON.stringify(index));
  return valueResponse(200, index, { ...SHARED, ETag: `"${tag}"` });
}

/** Links to resources without parameters, relative to `/`, because a gateway may add a prefix. */
function linksTo({ method, path, operation }: DescribedRoute) {
  const [type] = Object.keys(operation.responses[200]?.content ?? {});
  if (method !== 'GET' || path === '/' || path.includes('{') || type === undefined) return [];
  return [{ href: path.slice(1), title: operation.summary, type }];
}
