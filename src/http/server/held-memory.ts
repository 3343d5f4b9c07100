/** Something that holds memory on behalf of a client. */
export interface Holder {
  /** Whether it waits for its client: to send a request, or to take a response. */
  readonly isWaiting: boolean;
  /** Ends it, so that its memory comes back. */
  cut(): void;
}

/**
 * The memory that clients make the server hold, in bytes: requests that have not arrived whole or
 * wait their turn, responses that are being made or have not been taken, and connections
 * themselves. Where it is more than the limit, who has kept the server waiting longest is cut.
 */
export class HeldMemory {
  readonly #limit: number;
  /** In the order in which they last made progress, the longest ago first. */
  readonly #bytes = new Map<Holder, number>();
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The bytes that all of them hold. */
  get total(): number {
    return this.#total;
  }

  get isExceeded(): boolean {
    return this.#total > this.#limit;
  }

  /** Notes that a holder has made progress, and how much it holds now. */
  progress(holder: Holder, bytes: number): void {
    this.remove(holder);
    this.#bytes.set(holder, bytes);
    this.#total += bytes;
    while (this.isExceeded && this.cutLongestWaiting());
  }

  /** Notes that a holder holds nothing any more. */
  remove(holder: Holder): void {
    this.#total -= this.#bytes.get(holder) ?? 0;
    this.#bytes.delete(holder);
  }

  /**
   * Cuts the holder that has waited longest for its client.
   * @returns whether there was one
   */
  cutLongestWaiting(): boolean {
    for (const holder of this.#bytes.keys()) {
      if (!holder.isWaiting) continue;
      this.remove(holder);
      holder.cut();
      return true;
    }
    return false;
  }
}
