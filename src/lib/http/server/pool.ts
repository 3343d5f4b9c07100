/**
 * A limit in bytes that requests share. A request takes a part before it uses the memory, and gives it
 * back. Lengths are exact, or the most that is allowed (README: "Memory for clients").
 */
export class Pool {
  readonly #maxBytes: number;
  /** The bytes that are taken. */
  used = 0;
  /** Whether a part was refused since the last check. */
  isWanted = false;
  /** Event: a part was given back. */
  onFree = () => {};

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes a part, if there is room, or if nothing is taken. @returns whether it did */
  take(bytes: number): boolean {
    const hasRoom = this.used === 0 || this.used + bytes <= this.#maxBytes;
    if (hasRoom) this.used += bytes;
    else this.isWanted = true;
    return hasRoom;
  }

  give(bytes: number): void {
    this.used -= bytes;
    this.onFree();
  }
}
