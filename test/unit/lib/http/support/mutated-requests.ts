import assert from 'node:assert/strict';
import { mutated } from '../../../../support/mutate.ts';
import type { Random } from '../../../../support/random.ts';
import { RawClient, type RawResponse } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import type { RawServer } from './edge.ts';
import { createRequest, type Note } from './notes.ts';

/** Every status that a mutated request may get. Not 500. */
const PLANNED = [
  100, 200, 201, 204, 400, 404, 405, 406, 408, 413, 414, 415, 417, 431, 501, 503, 505,
];

/** The rows expected from the responses. */
class Model {
  readonly #rows = new Map<number, Note>();
  #lastId = 0;

  get rows(): readonly Note[] {
    return [...this.#rows.values()];
  }

  get ids(): readonly [number, ...number[]] {
    return [this.#lastId, ...this.#rows.keys()];
  }

  /** @param deletes the targets of the DELETE requests among the bytes that have no response yet */
  note({ status, headers, text }: RawResponse, deletes: string[]): void {
    if (status === 201) {
      const note: Note = JSON.parse(text);
      assert.equal(note.id, this.#lastId + 1);
      this.#lastId = note.id;
      this.#rows.set(note.id, note);
    } else if (status === 200 && text.startsWith('{"id"')) {
      const note: Note = JSON.parse(text);
      assert(this.#rows.has(note.id));
      this.#rows.set(note.id, note);
    } else if (status === 204 && headers.allow === undefined) {
      this.#rows.delete(Number(deletes.shift()));
    } else if (text.includes(`"instance":"/api/notes/${deletes[0]}"`)) deletes.shift();
  }
}

const DELETE_LINE = /DELETE +(?:https?:\/\/[^/]*)?\/api\/notes\/(-?\d+)(?:\?\S*)? +HTTP/gi;

function deletedIds(request: string): string[] {
  return [...request.matchAll(DELETE_LINE)].map(([, id = '']) => id);
}

function requests(id: number): readonly [string, ...string[]] {
  const update = '{"title":"changed","x":true}';
  return [
    createRequest(),
    createRequest({ body: '{"title":"with more","x":[1,{}]}' }),
    createRequest({
      fields: 'Transfer-Encoding: chunked\r\n',
      body: '3;a=b\r\n{"t\r\n11\r\nitle":"sent raw"}\r\n0\r\nX: y\r\n\r\n',
    }),
    createRequest({ body: update }).replace('POST /api/notes', `PUT /api/notes/${id}`),
    getRequest(`/api/notes/${id}`),
    getRequest('/api/notes?search=raw&x=2'),
    getRequest(`/api/notes/${id}`).replace('GET', 'DELETE'),
    getRequest('/api/notes').replace('GET', 'OPTIONS'),
  ];
}

/**
 * Sends requests with a few bytes changed, one at a time: the rows must agree with
 * the responses, and each status must be planned.
 * @param isSent whether a request is to be sent
 */
export async function sendMutated(
  edge: RawServer,
  total: number,
  random: Random,
  isSent: (request: string) => boolean,
): Promise<void> {
  const model = new Model();
  for (let count = 1; count <= total; count++) {
    const request = mutated(random.pick(requests(random.pick(model.ids))), random);
    if (!isSent(request)) continue;
    try {
      const deletes = deletedIds(request);
      for (const response of await answers(edge, request)) {
        assert(PLANNED.includes(response.status), `${response.status} ${response.text}`);
        model.note(response, deletes);
      }
      assert.deepEqual(edge.notes.list(), model.rows, 'the notes are those of the responses');
    } catch (error) {
      throw new Error(`number ${count}: ${JSON.stringify(request)}`, { cause: error });
    }
  }
}

async function answers(edge: RawServer, request: string): Promise<RawResponse[]> {
  const client = await RawClient.connect(edge.port);
  try {
    return await client.send(request).finish().toEnd();
  } finally {
    client.destroy();
  }
}
