import { readFileSync } from 'node:fs';

/** The store of peers without their own database: a Map of plain objects. */
export class Todos {
  #byId = new Map();
  #lastId = 0;

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
