import type { Request } from '../../http/core/request.ts';
import {
  type HeaderFields,
  JsonArray,
  jsonResponse,
  type Response,
} from '../../http/core/response.ts';
import { contentHash, isNotModified } from '../../http/request/preconditions.ts';
import type { ByteString } from '../../json/byte-string.ts';
import { isPaged } from '../../resource/query/list-options.ts';
import {
  type ListPage,
  MAX_LINK_BYTES,
  PageSearch,
  pageFields,
} from '../../resource/query/list-page.ts';
import type { Item } from '../store/items.ts';
import { type ItemResource, REVALIDATE } from './item-resource.ts';
import type { ListQuery } from './list-query.ts';

/** A list that a client asks for. */
export interface WantedList extends ListQuery {
  /** The path and query of a GET for it: it tells this list from others, and links refer to it. */
  readonly target: string;
  /** Header fields of its response. */
  readonly headers?: HeaderFields;
  /** Whether the response names the target. */
  readonly isLocated?: boolean;
}

/** A target that can be in an entity tag as it is, whoever takes a list of tags apart. */
const PLAIN_TARGET = /^\/[\w.~!$&'()*+:;=?@/%-]{0,80}$/;

/** Makes what responds with lists of items (api.md: "The list", "Pages"). */
export function listResponder(resource: ItemResource) {
  const { items, api } = resource;
  /** The text of all items, made once between two writes. */
  let whole: { readonly tag: string; readonly text: Buffer } | undefined;

  /** The tag of the list of a target now. */
  function tagOf(target: string): string {
    const isPlain = PLAIN_TARGET.test(target);
    const query = target === api.collection ? '' : `.${isPlain ? target : contentHash(target)}`;
    return resource.tagOfCommit(items.table.version, query);
  }

  /** Nothing is searched if the client has the list. */
  function respond(request: Request, wanted: WantedList): Response | Promise<Response> {
    const headers = { ETag: tagOf(wanted.target), ...REVALIDATE, ...wanted.headers };
    if (isNotModified(request, headers.ETag)) {
      return { status: 304, headers: { ...headers, ...locationOf(wanted) } };
    }
    if (isPaged(wanted)) return page(request, wanted, headers);
    const located = { ...headers, ...locationOf(wanted) };
    return jsonResponse(200, all(request, wanted, headers.ETag), located);
  }

  function page(request: Request, wanted: WantedList, headers: HeaderFields) {
    const found = request.run(new PageSearch(find(wanted, true)));
    const respond = ({ rows, total }: ListPage<Item>): Response => {
      const fields = pageFields(wanted.target, wanted, total);
      return jsonResponse(200, new JsonArray(rows, resource.textsFor(request)), {
        ...headers,
        ...fields,
        ...locationOf(wanted, fields.Link),
      });
    };
    return found instanceof Promise ? found.then(respond) : respond(found);
  }

  function all(request: Request, wanted: WantedList, tag: string) {
    const textOf = resource.textsFor(request);
    const isWhole = wanted.target === api.collection && api.computed === undefined;
    if (!isWhole) return new JsonArray(find(wanted, false), textOf);
    if (whole?.tag === tag) return whole.text;
    return new JsonArray(find(wanted, false), textOf, (text: ByteString) => {
      whole = { tag, text: Buffer.from(text, 'latin1') };
    });
  }

  function find({ conditions, orderBy, limit, offset }: ListQuery, isCounted: boolean) {
    return items.table.cursor(conditions, {
      orderBy,
      limit: limit ?? Number.POSITIVE_INFINITY,
      offset: offset ?? 0,
      total: isCounted,
    });
  }

  return { tagOf, respond };
}

/** `Location`, if it is wanted and not too long beside the links. */
function locationOf({ target, isLocated }: WantedList, links = ''): HeaderFields {
  if (isLocated !== true || target.length + links.length >= MAX_LINK_BYTES) return {};
  return { Location: target };
}
