import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Todo } from '../../support/client.ts';
import { createRequest, describeEdges, type Edge, getRequest } from '../../support/edge.ts';
import { mutated } from '../../support/mutate.ts';
import { RawClient, type RawResponse } from '../../support/raw.ts';
import { LONG, Random, SEED } from '../../table/support/random.ts';

const MUTATIONS = LONG ? 50_000 : 1_500;

/** After this many requests, the rows are compared with the model's. */
const COMPARE_EVERY = 50;

/** Every status that a mutated request may get. Not 500, and not 507, because there is room. */
const PLANNED = [
  100, 200, 201, 204, 400, 404, 405, 406, 408, 413, 414, 415, 417, 431, 501, 503, 505,
];

/** The rows expected from the responses. */
class Model {
  readonly #rows = new Map<number, Todo>();
  #lastId = 0;

  get rows(): readonly Todo[] {
    return [...this.#rows.values()];
  }

  get ids(): readonly [number, ...number[]] {
    return [this.#lastId, ...this.#rows.keys()];
  }

  /** @param deletes the targets of the DELETE requests among the bytes that have no response yet */
  note({ status, headers, text }: RawResponse, deletes: string[]): void {
    if (status === 201) {
      const todo: Todo = JSON.parse(text);
      assert.equal(todo.id, this.#lastId + 1);
      this.#lastId = todo.id;
      this.#rows.set(todo.id, todo);
    } else if (status === 200 && text.startsWith('{"id"')) {
      const todo: Todo = JSON.parse(text);
      assert(this.#rows.has(todo.id));
      this.#rows.set(todo.id, todo);
    } else if (status === 204 && headers.allow === undefined) {
      this.#rows.delete(Number(deletes.shift()));
    } else if (text.includes(`"instance":"/api/todos/${deletes[0]}"`)) deletes.shift();
  }
}

const DELETE_LINE = /DELETE +(?:https?:\/\/[^/]*)?\/api\/todos\/(-?\d+)(?:\?\S*)? +HTTP/gi;

function deletedIds(request: string): string[] {
  return [...request.matchAll(DELETE_LINE)].map(([, id = '']) => id);
}

function requests(id: number): readonly [string, ...string[]] {
  const update = '{"title":"changed","description":"d","completed":true,"priority":5}';
  return [
    createRequest(),
    createRequest({ body: '{"title":"with all","description":"d","priority":1}' }),
    createRequest({
      fields: 'Transfer-Encoding: chunked\r\n',
      body: '3;a=b\r\n{"t\r\n11\r\nitle":"sent raw"}\r\n0\r\nX: y\r\n\r\n',
    }),
    createRequest({ body: update }).replace('POST /api/todos', `PUT /api/todos/${id}`),
    getRequest(`/api/todos/${id}`),
    getRequest('/api/todos?search=raw&limit=2'),
    getRequest(`/api/todos/${id}`).replace('GET', 'DELETE'),
    getRequest('/api/todos').replace('GET', 'OPTIONS'),
  ];
}

/**
 * `node:http` does not report malformed content of a request with an Upgrade field: it takes until
 * the 408.
 */
const SETTINGS = { headersTimeout: 300, requestTimeout: 300, connectionsCheckingInterval: 50 };

describeEdges(
  'requests with a few bytes changed',
  (edge) => {
    it(`${MUTATIONS} of them (seed ${SEED}): expected statuses and rows`, async () => {
      const random = new Random(SEED);
      const model = new Model();
      for (let count = 1; count <= MUTATIONS; count++) {
        const request = mutated(random.pick(requests(random.pick(model.ids))), random);
        try {
          const deletes = deletedIds(request);
          for (const response of await answers(edge, request)) {
            assert(PLANNED.includes(response.status), `${response.status} ${response.text}`);
            model.note(response, deletes);
          }
          if (count % COMPARE_EVERY === 0 || count === MUTATIONS) await compare(edge, model);
        } catch (error) {
          throw new Error(`number ${count}: ${JSON.stringify(request)}`, { cause: error });
        }
      }
    });
  },
  SETTINGS,
);

async function answers(edge: Edge, request: string): Promise<RawResponse[]> {
  const client = await RawClient.connect(edge.service.port);
  try {
    return await client.send(request).finish().toEnd();
  } finally {
    client.destroy();
  }
}

async function compare(edge: Edge, model: Model): Promise<void> {
  const rows = (await edge.client.get('/api/todos')).json<Todo[]>();
  assert.deepEqual(rows, model.rows);
}
