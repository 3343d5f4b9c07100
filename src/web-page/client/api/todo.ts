import { isRecord, listOf, parseJson } from '../shared/json.ts';

/** The path of all items. */
export const COLLECTION = '/api/todos';

/** An item of either variant. */
export interface Todo {
  /** The digits of the id: a number could not hold all ids of variant B. */
  readonly id: string;
  readonly title: string;
  /** Null in variant B only. */
  readonly description: string | null;
  readonly completed: boolean;
  readonly priority: number;
  /** In variant B only: the service's local time, without a zone. */
  readonly createdAt: string | undefined;
}

/** What a client may set. */
export type TodoValues = Partial<Pick<Todo, 'title' | 'description' | 'completed' | 'priority'>>;

/** The fields that can be changed, in the order in which they are shown. */
export const EDITABLE = ['title', 'description', 'completed', 'priority'] as const;

/** Reads an item. */
export function readTodo(text: string): Todo {
  return todoOf(parseJson(text));
}

/** Reads a list of items. */
export function readTodos(text: string): readonly Todo[] {
  return listOf(parseJson(text)).map(todoOf);
}

function todoOf(value: unknown): Todo {
  if (!isRecord(value)) throw new TypeError('an item is an object');
  const { id, title, description, completed, priority, createdAt } = value;
  return {
    id: String(id),
    title: String(title),
    description: typeof description === 'string' ? description : null,
    completed: completed === true,
    priority: Number(priority),
    createdAt: typeof createdAt === 'string' ? createdAt : undefined,
  };
}

/** The editable fields in which two items differ. */
export function differences(a: Todo, b: Todo): readonly (typeof EDITABLE)[number][] {
  return EDITABLE.filter((name) => a[name] !== b[name]);
}
