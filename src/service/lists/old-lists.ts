import type { HttpServer } from '../../lib/http/index.ts';
import { TodoList } from '../todo/todo-list.ts';

/** The share of the memory for items that old lists may take. */
const SHARE = 1 / 8;

/**
 * Lists that requests still hold after a reset, or after their removal. If they take too much memory,
 * the connections of the requests that hold the oldest one are closed.
 */
export class OldLists {
  readonly #maxBytes: number;
  readonly #server: Pick<HttpServer, 'clients' | 'disconnect'>;
  /** The number of lists that were added. */
  #added = 0;

  /** @param maxBytes the memory for items, of which old lists may take a share */
  constructor(maxBytes: number, server: Pick<HttpServer, 'clients' | 'disconnect'>) {
    this.#maxBytes = maxBytes * SHARE;
    this.#server = server;
  }

  /** From now on, the memory of a list is that of the requests that hold it. */
  add(list: TodoList): void {
    list.retiredAs = this.#added++;
    const held = [...this.#server.clients.holders().keys()]
      .filter((each) => each instanceof TodoList)
      .filter(({ retiredAs }) => retiredAs !== undefined)
      .sort((a, b) => Number(a.retiredAs) - Number(b.retiredAs));
    let bytes = held.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
    for (const oldest of held) {
      if (bytes <= this.#maxBytes) return;
      bytes -= oldest.heldBytes;
      this.#server.disconnect(oldest);
    }
  }
}
