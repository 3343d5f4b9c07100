import type { HttpServer } from '../../lib/http/index.ts';
import type { TodoList } from '../todo/todo-list.ts';

/** The share of the memory for items that old lists may take. */
const SHARE = 1 / 8;

/**
 * Lists that requests still hold after a reset, or after their removal. If they take too much memory,
 * the connections that are served by the oldest one are closed.
 */
export class OldLists {
  readonly #maxBytes: number;
  readonly #server: Pick<HttpServer, 'disconnect'>;
  /** The oldest first. */
  readonly #lists = new Set<TodoList>();

  /** @param maxBytes the memory for items, of which old lists may take a share */
  constructor(maxBytes: number, server: Pick<HttpServer, 'disconnect'>) {
    this.#maxBytes = maxBytes * SHARE;
    this.#server = server;
  }

  /** Counts a list that is retired, as long as requests hold it. */
  add(list: TodoList): void {
    if (list.heldBytes === 0 || list.requests === 0) return;
    this.#lists.add(list);
    list.onForgotten = () => this.#lists.delete(list);
    let bytes = 0;
    for (const each of this.#lists) bytes += each.heldBytes;
    for (const oldest of this.#lists) {
      if (bytes <= this.#maxBytes) return;
      bytes -= oldest.heldBytes;
      this.#server.disconnect(oldest);
    }
  }
}
