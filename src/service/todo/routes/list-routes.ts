import {
  checkPreconditions,
  contentHash,
  type FieldDescriptions,
  type HeaderFields,
  isNotModified,
  JSON_MEDIA_TYPE,
  JsonArray,
  jsonResponse,
  Problem,
  type Request,
  readConditions,
  valueResponse,
  writeConditions,
} from '../../../lib/http/index.ts';
import { objectSchema } from '../../../lib/json/index.ts';
import { fieldsContent } from '../../resource/content.ts';
import { isPaged } from '../../resource/query/list-options.ts';
import { PageSearch, pageFields } from '../../resource/query/list-page.ts';
import { STORE_FULL } from '../../store/problems.ts';
import type { ItemChange } from '../../store/store.ts';
import { type ItemResource, REVALIDATE } from '../item-resource.ts';
import {
  conditionsArgument,
  ListQueries,
  type ListQuery,
  listArgument,
  preferenceApplied,
} from './list-query.ts';

const READ_FIELDS: FieldDescriptions = {
  ETag: 'Changes with each commit that changes an item.',
  'Cache-Control': 'Revalidate before reuse.',
  'Preference-Applied': 'If the request asked for strict handling.',
};

const NO_CONTENT = 'A DELETE says in its query string what to delete; it must have no content';

/** The routes of the list (api.md: "The list" to "Several items at once"). */
export function listRoutes(resource: ItemResource, isStrict: boolean) {
  const { fields, api, store } = resource;
  const queries = new ListQueries(fields, api);
  const responder = listResponder(resource);
  const parameters = listArgument(queries, isStrict);
  const conditions = conditionsArgument(queries);
  const patch = fieldsContent(fields, 'patch', api.examples);
  const listResponses = {
    200: {
      description: 'The items.',
      content: { [JSON_MEDIA_TYPE]: { type: 'array', items: resource.schema } },
      example: [resource.example()],
      headers: {
        ...READ_FIELDS,
        'X-Total-Count': 'How many items match in all; only with `limit` or `offset`.',
        Link: 'The first, previous, next and last page; only with `limit` or `offset`.',
      },
    },
    304: { description: 'The list has not changed.', headers: READ_FIELDS },
  };

  /** Writes what matches; preconditions compare with the tag that GET has for the target. */
  const write = async (request: Request, changeOf: () => ItemChange, name: string) => {
    const where = conditions.of(request);
    const check = () => {
      resource.resets.check(request);
      checkPreconditions(request, () => responder.tagOf(queryOf(request)));
    };
    const run: Request['run'] = (steps) => request.run(steps);
    const count = await store.writeMatching({ where, run, check, changeOf });
    return valueResponse(200, { [name]: count });
  };

  return [
    resource.route('GET', '', {
      id: 'listTodos',
      summary: 'List items',
      description:
        'All items that match `search`, `where` and all filters, by ascending id unless `sort` ' +
        'says otherwise; with `limit` or `offset`, a page of them. A repeated filter is one ' +
        'more condition. Unknown parameters are ignored, unless `Prefer` or a setting of the ' +
        'service says otherwise.',
      arguments: [parameters, readConditions],
      responses: listResponses,
      handle: (request) => {
        const wanted = parameters.of(request);
        const query = queryOf(request);
        return store.read(() => responder.respond(request, wanted, query));
      },
    }),
    resource.route('DELETE', '', {
      id: 'deleteTodos',
      summary: 'Delete the items that match',
      description:
        'All items that match `search`, `where` and all filters, at once. There must be one of ' +
        'these; `where={}` is every item. Unknown parameters are refused. With `STORE=etcd`, ' +
        'many items take several transactions; a problem then says how many items may be gone.',
      arguments: [conditions, writeConditions],
      responses: countResponse('deleted', 'How many items have been deleted.'),
      handle: (request) => {
        if (request.content.length > 0) throw new Problem('malformed-request', NO_CONTENT);
        return write(request, () => 'deletion', 'deleted');
      },
    }),
    resource.route('PATCH', '', {
      id: 'patchTodos',
      summary: 'Patch the items that match',
      description:
        'Applies a JSON merge patch (RFC 7396) to all items that match `search`, `where` and all ' +
        'filters, at once. There must be one of these; `where={}` is every item. Unknown ' +
        'parameters are refused. An item that it does not change keeps its tag. The patch may be ' +
        '`application/merge-patch+json` as well. With `STORE=etcd`, many items take several ' +
        'transactions; a problem then says how many items may have changed.',
      arguments: [conditions, writeConditions],
      content: patch,
      responses: countResponse('updated', 'How many items match.'),
      problems: [STORE_FULL],
      checkFirst: conditions.of,
      handle: (request) => write(request, () => patch.of(request), 'updated'),
    }),
  ];
}

function countResponse(name: string, description: string) {
  const schema = objectSchema({ [name]: { type: 'integer', minimum: 0 } });
  return { 200: { description, content: { [JSON_MEDIA_TYPE]: schema }, example: { [name]: 1 } } };
}

/** The query of a request, exactly as sent; empty if it has no parameter. */
function queryOf({ query, target }: Request): string {
  return query.isEmpty ? '' : target.slice(target.indexOf('?') + 1);
}

/** A query that can be in an entity tag as it is, whoever takes a list of tags apart. */
const PLAIN_QUERY = /^[\w.~!$&'()*+:;=?@/%-]{0,80}$/;

function listResponder(resource: ItemResource) {
  const { items, rowJson } = resource;
  /** The text of all items, made once between two writes. */
  let whole: { readonly tag: string; readonly text: Buffer } | undefined;

  function tagOf(query: string): string {
    // A hash has no question mark.
    const shown = PLAIN_QUERY.test(query) ? `?${query}` : contentHash(query);
    return resource.tagOfCommit(items.table.version, query === '' ? '' : `.${shown}`);
  }

  /** The query is that of a GET for the list. Nothing is searched if the client has it. */
  function respond(request: Request, wanted: ListQuery, query: string) {
    const ETag = tagOf(query);
    const fieldsWith = (ofPage: HeaderFields = {}) => ({
      ...{ ETag, ...REVALIDATE, ...preferenceApplied(request), ...ofPage },
    });
    if (isNotModified(request, ETag)) return { status: 304, headers: fieldsWith() };
    if (!isPaged(wanted)) {
      return jsonResponse(200, all(wanted, query, ETag), fieldsWith());
    }
    const found = request.run(new PageSearch(find(wanted, true)));
    const paged = ({ rows, total }: Awaited<typeof found>) => {
      const content = new JsonArray(rows, rowJson.jsonOf);
      return jsonResponse(200, content, fieldsWith(pageFields(query, wanted, total)));
    };
    return found instanceof Promise ? found.then(paged) : paged(found);
  }

  function all(wanted: ListQuery, query: string, tag: string) {
    if (query !== '') return new JsonArray(find(wanted, false), rowJson.jsonOf);
    if (whole?.tag === tag) return whole.text;
    return new JsonArray(find(wanted, false), rowJson.jsonOf, (text) => {
      whole = { tag, text: Buffer.from(text, 'latin1') };
    });
  }

  function find(wanted: ListQuery, total: boolean) {
    const { conditions, orderBy, limit = Number.POSITIVE_INFINITY, offset = 0 } = wanted;
    return items.table.cursor(conditions, { orderBy, limit, offset, total });
  }

  return { tagOf, respond };
}
