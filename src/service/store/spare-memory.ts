/** A part of the service that takes spare memory. */
export interface SpareMemoryUser {
  /** The memory that it takes now, in bytes. */
  readonly bytes: number;
}

/**
 * The memory besides the items of all lists, half of `MAX_BYTES` (operations.md: "Memory"): the new
 * rows of writes to several items, lists before a reset, and earlier states of lists that are being
 * sent.
 */
export class SpareMemory {
  readonly maxBytes: number;
  readonly #users = new Set<SpareMemoryUser>();
  /** Event: a write waits for memory. */
  onShort = (_lackingBytes: number): void => {};

  /** @param maxBytes the memory, in bytes */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.maxBytes = maxBytes;
  }

  /** The memory that is taken, in bytes. */
  get bytes(): number {
    let bytes = 0;
    for (const user of this.#users) bytes += user.bytes;
    return bytes;
  }

  /** Counts a user. @returns the function that ends this, which is idempotent */
  add(user: SpareMemoryUser): () => void {
    this.#users.add(user);
    return () => this.#users.delete(user);
  }
}
