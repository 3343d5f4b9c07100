import { clock } from '../../lib/clock.ts';
import type { HttpServer } from '../../lib/http/index.ts';
import { ItemList, type Mount } from '../items/item-list.ts';
import type { Items } from '../store/items.ts';
import type { SpareMemory, SpareMemoryUser } from '../store/spare-memory.ts';

/** The least time between two checks after commits, in milliseconds. */
const INTERVAL_MS = 250;

/** The part of the server that ends requests. */
type Server = Pick<HttpServer, 'held' | 'endRequestsOf' | 'cutUnread'>;

/**
 * Limits the spare memory that requests hold: lists that were replaced or removed, and earlier
 * states of lists that are being sent. Above the limit, requests for the list that was retired
 * first get 503 if they have changed nothing. Then responses that no client reads are cut
 * (operations.md: "Memory").
 */
export class MemoryRelief implements SpareMemoryUser {
  readonly #spare: SpareMemory;
  readonly #server: Server;
  readonly #mounts: () => readonly Mount[];
  /** The number of lists that were retired so far. */
  #retired = 0;
  /** The memory of retired lists at the last check, in bytes. */
  #retiredBytes = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(spare: SpareMemory, server: Server, mounts: () => readonly Mount[]) {
    this.#spare = spare;
    this.#server = server;
    this.#mounts = mounts;
    spare.add(this);
    spare.onShortage = (lackingBytes) => this.check(lackingBytes);
  }

  /** The memory that requests hold, in bytes: of retired lists, and of earlier states. */
  get bytes(): number {
    let bytes = this.#retiredBytes;
    for (const { list } of this.#mounts()) bytes += list.items.table.snapshotBytes;
    return bytes;
  }

  /** Event: a list was replaced or removed, so that only requests still hold it. */
  retire(list: ItemList): void {
    list.retirementNumber = this.#retired++;
    this.check();
  }

  /** Event: a commit of a list, which may leave earlier rows to requests. */
  checkAfterCommit({ table }: Items): void {
    if (table.snapshotBytes === 0 || clock.now() - this.#checkedAt < INTERVAL_MS) return;
    if (this.#spare.bytes > this.#spare.maxBytes) this.check();
  }

  /**
   * Ends requests for retired lists until the limit is kept. If they are not enough, cuts all
   * unread responses of lists with earlier states.
   * @param lackingBytes the bytes to free for a write that waits; by default, those above the limit
   */
  check(lackingBytes?: number): void {
    this.#checkedAt = clock.now();
    const retired = [...this.#server.held.keys()]
      .filter((held) => held instanceof ItemList)
      .filter(({ retirementNumber }) => retirementNumber !== undefined)
      .sort((one, other) => Number(one.retirementNumber) - Number(other.retirementNumber));
    this.#retiredBytes = retired.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
    let excess = lackingBytes ?? this.#spare.bytes - this.#spare.maxBytes;
    for (const list of retired) {
      if (excess <= 0) return;
      excess -= list.heldBytes;
      this.#server.endRequestsOf(list);
    }
    if (excess <= 0) return;
    for (const { list } of this.#mounts()) {
      if (list.items.table.snapshotBytes > 0) this.#server.cutUnread(list);
    }
  }
}
