/** A write or a part of the service that takes spare memory. */
export interface SpareMemoryUser {
  /** The memory that it takes now, in bytes. */
  readonly bytes: number;
}

/**
 * Counts the memory besides the items of all lists (operations.md: "Memory"): the new rows of
 * writes to several items, lists before a reset, and earlier states of lists that are being sent.
 * Its users keep it within the limit.
 */
export class SpareMemory {
  /** The limit, in bytes. */
  readonly maxBytes: number;
  readonly #users = new Set<SpareMemoryUser>();
  /** Called when a write waits for memory. */
  onShortage = (_lackingBytes: number): void => {};

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.maxBytes = maxBytes;
  }

  /** The memory that is taken, in bytes. */
  get bytes(): number {
    let bytes = 0;
    for (const user of this.#users) bytes += user.bytes;
    return bytes;
  }

  /** Counts the memory of a user. @returns an idempotent function that ends this */
  add(user: SpareMemoryUser): () => void {
    this.#users.add(user);
    return () => this.#users.delete(user);
  }
}
