import assert from 'node:assert/strict';
import type { Answer, Client, Todo } from './client.ts';
import type { Operation } from './linearizable.ts';

/** The sequential model of the service: its rows, and the last id it gave. */
export interface TodoState {
  readonly rows: ReadonlyMap<number, Todo>;
  readonly lastId: number;
}

/** Tells two states of one history apart. */
export function stateKey({ rows, lastId }: TodoState): string {
  return `${lastId} ${[...rows.values()].map(({ id, title }) => `${id}:${title}`)}`;
}

/** Does operations on a service, and writes down what came of them. */
export class Recorder {
  readonly history: Operation<TodoState>[] = [];
  readonly #client: Client;
  #clock = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async create(title: string): Promise<number> {
    const todo = await this.#record(
      `create ${title}`,
      async () => (await this.#client.post('/api/todos', { title })).json(),
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
      () => this.#found(this.#client.put(`/api/todos/${id}`, { title })),
      (state, todo) => {
        const before = state.rows.get(id);
        if (before === undefined || todo === undefined) return before === todo ? state : undefined;
        const after = { ...before, title };
        return isSame(after, todo)
          ? { ...state, rows: new Map(state.rows).set(id, after) }
          : undefined;
      },
    );
  }

  async get(id: number): Promise<void> {
    await this.#record(
      `get ${id}`,
      () => this.#found(this.#client.get(`/api/todos/${id}`)),
      (state, todo) => (isSame(state.rows.get(id), todo) ? state : undefined),
    );
  }

  async delete(id: number): Promise<void> {
    await this.#record(
      `delete ${id}`,
      () => this.#client.delete(`/api/todos/${id}`),
      (state) => {
        const rows = new Map(state.rows);
        rows.delete(id);
        return { ...state, rows };
      },
    );
  }

  async list(): Promise<readonly Todo[]> {
    return this.#record(
      'list',
      async () => (await this.#client.get('/api/todos')).json<Todo[]>(),
      (state, todos) => (areSame([...state.rows.values()], todos) ? state : undefined),
    );
  }

  async #found(answer: Promise<Answer>): Promise<Todo | undefined> {
    const { status } = await answer;
    if (status === 404) return undefined;
    assert.equal(status, 200);
    return (await answer).json();
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
