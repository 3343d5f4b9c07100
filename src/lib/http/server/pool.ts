/**
 * Memory of limited size that requests share (README: "Memory for clients"). A request takes a part
 * before it uses the memory, and gives it back. Lengths of contents and results are exact, or else
 * the maximum that is allowed.
 */
export class Pool {
  readonly #maxBytes: number;
  /** The bytes that are taken. */
  used = 0;
  /** Whether a part was refused since the last check of the server, which sets it to false. */
  isWanted = false;
  /** Called after a part was given back. */
  onFree = () => {};

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes a part, if there is room. If nothing is taken, a part may be larger than the limit, so
   * that its request is not refused for ever. @returns whether it did
   */
  take(bytes: number): boolean {
    const hasRoom = this.used === 0 || this.used + bytes <= this.#maxBytes;
    if (hasRoom) this.used += bytes;
    else this.isWanted = true;
    return hasRoom;
  }

  giveBack(bytes: number): void {
    this.used -= bytes;
    this.onFree();
  }
}
