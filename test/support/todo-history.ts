import assert from 'node:assert/strict';
import type { Answer, Client, Todo } from './client.ts';
import type { Operation } from './linearizable.ts';
import { itemPath, LIST } from './paths.ts';

/** The sequential model of the service: its rows, and the last id assigned. */
export interface TodoState {
  readonly rows: ReadonlyMap<number, Todo>;
  readonly lastId: number;
}

/** Identifies a state within one history. */
export function stateKey({ rows, lastId }: TodoState): string {
  return `${lastId} ${[...rows.values()].map(({ id, title }) => `${id}:${title}`)}`;
}

/** Performs operations on a service, and records their outcomes. */
export class Recorder {
  readonly history: Operation<TodoState>[] = [];
  readonly #client: Client;
  /** The items last received, with their entity tags. */
  readonly #seen = new Map<number, { readonly todo: Todo; readonly tag: string }>();
  #clock = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async create(title: string): Promise<number> {
    const todo = await this.#record(
      `create ${title}`,
      async () => (await this.#client.post(LIST, { title })).json(),
      ({ rows, lastId }, todo) =>
        todo.id === lastId + 1 && todo.title === title
          ? { rows: new Map(rows).set(todo.id, todo), lastId: todo.id }
          : undefined,
    );
    return todo.id;
  }

  async update(id: number, title: string): Promise<void> {
    await this.#record(
      `update ${id} ${title}`,
      () => this.#found(this.#client.put(itemPath(id), { title })),
      (state, todo) => renamed(state, id, title, todo),
    );
  }

  async get(id: number): Promise<void> {
    await this.#record(
      `get ${id}`,
      () => this.#found(this.#client.get(itemPath(id))),
      (state, todo) => (isSame(state.rows.get(id), todo) ? state : undefined),
    );
  }

  async delete(id: number): Promise<void> {
    await this.#record(
      `delete ${id}`,
      () => this.#client.delete(itemPath(id)),
      (state) => without(state, id),
    );
  }

  async patch(id: number, title: string): Promise<void> {
    await this.#record(
      `patch ${id} ${title}`,
      () => this.#found(this.#client.patch(itemPath(id), { title })),
      (state, todo) => renamed(state, id, title, todo),
    );
  }

  /** Renames an item if it has not changed since it was last read. */
  async renameSeen(id: number, title: string): Promise<void> {
    const seen = this.#seen.get(id);
    if (seen === undefined) return this.get(id);
    const headers = { 'if-match': seen.tag };
    await this.#record(
      `rename ${id} ${title} if it is ${JSON.stringify(seen.todo)}`,
      async () => {
        const answer = await this.#client.patch(itemPath(id), { title }, headers);
        return answer.status === 412 ? 'changed' : this.#found(answer);
      },
      (state, result) => {
        const isAsSeen = isSame(state.rows.get(id), seen.todo);
        if (result === 'changed') return isAsSeen || !state.rows.has(id) ? undefined : state;
        return isAsSeen || !state.rows.has(id) ? renamed(state, id, title, result) : undefined;
      },
    );
  }

  /** Deletes an item if it has not changed since it was last read. */
  async deleteSeen(id: number): Promise<void> {
    const seen = this.#seen.get(id);
    if (seen === undefined) return this.get(id);
    await this.#record(
      `delete ${id} if it is ${JSON.stringify(seen.todo)}`,
      async () =>
        (await this.#client.delete(itemPath(id), { 'if-match': seen.tag })).status === 204,
      (state, isDeleted) => {
        if (isDeleted !== isSame(state.rows.get(id), seen.todo)) return undefined;
        return isDeleted ? without(state, id) : state;
      },
    );
  }

  /** Gets the last items and the total. */
  async lastPage(limit: number): Promise<void> {
    await this.#record(
      'last page',
      async () => {
        const answer = await this.#client.get(`${LIST}?sort=-id&limit=${limit}`);
        return { todos: answer.json<Todo[]>(), total: Number(answer.headers['x-total-count']) };
      },
      (state, { todos, total }) => {
        const rows = [...state.rows.values()].reverse().slice(0, limit);
        return total === state.rows.size && areSame(rows, todos) ? state : undefined;
      },
    );
  }

  async list(): Promise<readonly Todo[]> {
    return this.#record(
      'list',
      async () => (await this.#client.get(LIST)).json<Todo[]>(),
      (state, todos) => (areSame([...state.rows.values()], todos) ? state : undefined),
    );
  }

  async #found(pending: Answer | Promise<Answer>): Promise<Todo | undefined> {
    const answer = await pending;
    if (answer.status === 404) return undefined;
    assert.equal(answer.status, 200);
    const todo = answer.json();
    this.#seen.set(todo.id, { todo, tag: String(answer.headers.etag) });
    return todo;
  }

  async #record<T>(
    what: string,
    work: () => Promise<T>,
    step: (state: TodoState, result: T) => TodoState | undefined,
  ): Promise<T> {
    const start = this.#clock++;
    const result = await work();
    const end = this.#clock++;
    const saw = JSON.stringify(result)?.slice(0, 300);
    this.history.push({
      start,
      end,
      what: `${what}: ${saw}`,
      step: (state) => step(state, result),
    });
    return result;
  }
}

/** The state after setting an item's title; undefined if that contradicts the response. */
function renamed(
  state: TodoState,
  id: number,
  title: string,
  answer: Todo | undefined,
): TodoState | undefined {
  const before = state.rows.get(id);
  if (before === undefined || answer === undefined) return before === answer ? state : undefined;
  const after = { ...before, title };
  return isSame(after, answer) ? { ...state, rows: new Map(state.rows).set(id, after) } : undefined;
}

function without(state: TodoState, id: number): TodoState {
  const rows = new Map(state.rows);
  rows.delete(id);
  return { ...state, rows };
}

function areSame(a: readonly Todo[], b: readonly Todo[]): boolean {
  return a.length === b.length && a.every((todo, i) => isSame(todo, b[i]));
}

function isSame(a: Todo | undefined, b: Todo | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.id === b.id &&
    a.title === b.title &&
    a.description === b.description &&
    a.completed === b.completed &&
    a.priority === b.priority &&
    a.createdAt === b.createdAt
  );
}
