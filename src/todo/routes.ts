import type { Answer } from '../http/answer.ts';
import { Problem } from '../http/problem.ts';
import { Query } from '../http/query.ts';
import type { Request, Route, ShortRoute } from '../http/route.ts';
import { idDescription, idParser } from '../resource/identifier.ts';
import { jsonArray } from '../resource/json-array.ts';
import { keptPerRow, keptPerVersion } from '../resource/kept.ts';
import { createValidator, updateValidator, type Validation } from '../resource/validator.ts';
import { jsonWriter } from '../resource/writer.ts';
import type { Id } from '../table/column.ts';
import { IdsExhaustedError, TableFullError } from '../table/errors.ts';
import type { TodoFields } from './fields.ts';
import { parseListQuery } from './list-query.ts';
import type { Todo, TodoService } from './service.ts';

/** The endpoints of the API (source: "Endpoints"). */
export function todoRoutes(fields: TodoFields, service: TodoService): readonly Route[] {
  const write = keptPerRow(jsonWriter(fields), 'id');
  const checkCreate = createValidator(fields);
  const checkUpdate = updateValidator(fields);
  const parseId = idParser(fields.id);

  const idOf = ({ params: [text = ''] }: Request): Id<TodoFields> => {
    const id = parseId(text);
    if (id === undefined)
      throw new Problem('invalid-id', `The id must be ${idDescription(fields.id)}`);
    return id;
  };
  const found = (id: Id<TodoFields>, todo: Todo | undefined): Answer => {
    if (todo === undefined) throw new Problem('not-found', `Todo with id ${id} was not found`);
    return { status: 200, body: write(todo) };
  };
  const list = (query: Query) => jsonArray(service.list(parseListQuery(query, fields)), write);
  const wholeList = keptPerVersion(
    () => service.version,
    () => list(Query.EMPTY),
  );
  const writing =
    (handle: ShortRoute['handle']): ShortRoute['handle'] =>
    (request) =>
      service.transaction(() => handle(request));

  return [
    {
      method: 'GET',
      path: '/api/todos',
      isLong: true,
      handle: ({ query }) => ({ status: 200, body: query.isEmpty ? wholeList() : list(query) }),
    },
    {
      method: 'POST',
      path: '/api/todos',
      takesBody: true,
      handle: writing(({ body }) => {
        const todo = storing(() => service.create(valid(checkCreate(body))));
        return { status: 201, headers: { Location: `/api/todos/${todo.id}` }, body: write(todo) };
      }),
    },
    {
      method: 'GET',
      path: '/api/todos/{id}',
      handle: (request) => {
        const id = idOf(request);
        return found(id, service.get(id));
      },
    },
    {
      method: 'PUT',
      path: '/api/todos/{id}',
      takesBody: true,
      handle: writing((request) => {
        const id = idOf(request);
        return found(id, service.update(id, valid(checkUpdate(request.body))));
      }),
    },
    {
      method: 'DELETE',
      path: '/api/todos/{id}',
      handle: writing((request) => {
        service.delete(idOf(request));
        return { status: 204 };
      }),
    },
  ];
}

function valid(validation: Validation): Extract<Validation, { ok: true }>['values'] {
  if (validation.ok) return validation.values;
  const { violations } = validation;
  const count = violations.length === 1 ? 'one rule' : `${violations.length} rules`;
  throw new Problem('validation-failed', `The request body breaks ${count}`, {
    errors: violations,
  });
}

/** Turns the ways in which a table can have no room into answers. */
function storing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TableFullError)
      throw new Problem('store-full', `${error.message}; delete some first`);
    if (error instanceof IdsExhaustedError) throw new Problem('ids-exhausted', error.message);
    throw error;
  }
}
