import { Problem } from '../../../../../src/lib/http/messages/problem.ts';
import type { Request, Route } from '../../../../../src/lib/http/messages/request.ts';
import { type Response, valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import {
  JSON_MEDIA_TYPES,
  jsonObjectOf,
} from '../../../../../src/lib/http/request/json-content.ts';
import { createRequest as createRequestTo } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';

/** The path of the notes. */
export const NOTES = '/api/notes';

/** An item of the tests' own service. */
export interface Note {
  readonly id: number;
  readonly title: string;
}

/** The bytes of a request that creates a note, with the given parts replaced. */
export function createRequest(parts: { fields?: string; body?: string } = {}): string {
  return createRequestTo({ path: NOTES, ...parts });
}

/** A small service to test the server with: notes in memory, of which each is a title. */
export class Notes {
  readonly #titles = new Map<number, string>();
  #lastId = 0;

  /** All that a request can change. */
  get state(): object {
    return { notes: this.list(), lastId: this.#lastId };
  }

  list(search = ''): readonly Note[] {
    const all = [...this.#titles].map(([id, title]) => ({ id, title }));
    return all.filter(({ title }) => title.includes(search));
  }

  create(title: string): Note {
    this.#titles.set(++this.#lastId, title);
    return { id: this.#lastId, title };
  }

  readonly routes: readonly Route[] = [
    route('GET', '/', () => valueResponse(200, { notes: NOTES })),
    route('GET', '/livez', () => valueResponse(200, { status: 'ok' })),
    route('GET', NOTES, ({ query }) => ({
      ...valueResponse(200, this.list(new Map(query.parameters).get('search'))),
      headers: { ETag: `"${this.#lastId}"` },
    })),
    route(
      'POST',
      NOTES,
      (request) => {
        const note = this.create(titleOf(request));
        const headers = { Location: `${NOTES}/${note.id}` };
        return { ...valueResponse(201, note), headers };
      },
      { content: { mediaTypes: JSON_MEDIA_TYPES } },
    ),
    route('GET', `${NOTES}/{id}`, (request) => this.#found(idOf(request))),
    route('PUT', `${NOTES}/{id}`, (request) => this.#rename(request), {
      content: { mediaTypes: JSON_MEDIA_TYPES },
    }),
    route(
      'DELETE',
      `${NOTES}/{id}`,
      (request) => {
        this.#titles.delete(idOf(request));
        return { status: 204 };
      },
      { produces: [] },
    ),
  ];

  #rename(request: Request): Response {
    const id = idOf(request);
    const title = titleOf(request);
    if (this.#titles.has(id)) this.#titles.set(id, title);
    return this.#found(id);
  }

  #found(id: number): Response {
    const title = this.#titles.get(id);
    if (title === undefined) throw new Problem(NO_NOTE, `There is no note ${id}`);
    return valueResponse(200, { id, title });
  }
}

const NO_NOTE = { code: 'no-note', status: 404, title: 'No such note' };

function idOf({ parameter: id }: Request): number {
  if (/^\d{1,9}$/.test(id)) return Number(id);
  throw new Problem('invalid-parameter', 'The id must be a number');
}

function titleOf(request: Request): string {
  const { title } = jsonObjectOf(request);
  if (typeof title === 'string' && title !== '') return title;
  throw new Problem('validation-failed', 'The title must be a text');
}
