import { readFileSync } from 'node:fs';

/** With VARIANT=b, items have 64-bit ids and a `createdAt`, as variant B of the service. */
export const IS_VARIANT_B = process.env.VARIANT === 'b';

/** The store of peers without their own database: a Map of plain objects. */
export class Todos {
  #byId = new Map();
  #lastId = IS_VARIANT_B ? 0n : 0;

  /** Starts with the rows of the file in the environment variable SEED, one JSON text per line. */
  constructor(file = process.env.SEED) {
    if (!file) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) if (line) this.create(JSON.parse(line));
  }

  list(search = '', offset = 0, limit = Number.POSITIVE_INFINITY) {
    const needle = search.trim() && search.toLowerCase();
    const found = [];
    let toSkip = offset;
    for (const todo of this.#byId.values()) {
      if (found.length >= limit) break;
      if (needle && !todo.title.toLowerCase().includes(needle) && !todo.description.toLowerCase().includes(needle)) {
        continue;
      }
      if (toSkip > 0) toSkip--;
      else found.push(todo);
    }
    return found;
  }

  get(id) {
    return this.#byId.get(id);
  }

  create({ title, description = '', priority = 3 }) {
    const todo = { id: ++this.#lastId, title, description, completed: false, priority };
    if (IS_VARIANT_B) todo.createdAt = localDateTime(new Date());
    this.#byId.set(todo.id, todo);
    return todo;
  }

  update(id, { title, description, completed, priority }) {
    const todo = this.#byId.get(id);
    if (!todo) return undefined;
    if (title != null) todo.title = title;
    if (description != null) todo.description = description;
    if (completed != null) todo.completed = completed;
    if (priority != null) todo.priority = priority;
    return todo;
  }

  delete(id) {
    return this.#byId.delete(id);
  }
}

/** The local time without a zone, such as 2026-11-20T09:30:00.123. */
function localDateTime(date) {
  const two = (number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day}T${time}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
