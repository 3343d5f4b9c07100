import { MAX_HEADER_BYTES } from '../../request/framing.ts';
import { MAX_TARGET_BYTES } from '../../request/target.ts';

/** The parser refuses a longer one. */
const MAX_BYTES = MAX_TARGET_BYTES + MAX_HEADER_BYTES;

/** So many bytes belong to the memory of a connection itself. */
const FREE_BYTES = 2 * 1024;

/** The memory that a byte takes, with the strings and places of a field's name and value. */
const MEMORY_PER_BYTE = 2;

/**
 * How much of a header section may have arrived on a connection. `node:http` tells nothing of it
 * until it is complete, and nothing of how much follows a complete one in the same segment: that
 * segment counts as a whole until the next arrives.
 */
export class PartialHead {
  /** The content in this segment, in bytes. */
  #content = 0;
  #hasCompleted = false;
  #bytes = 0;

  /** A header section is complete. */
  complete(): void {
    this.#hasCompleted = true;
  }

  /** Content has arrived. */
  skip(bytes: number): void {
    this.#content += bytes;
  }

  /**
   * A segment has been parsed.
   * @param length in bytes; 0 for the rest of one that has been counted
   * @returns how much more or, if negative, less memory it takes, in bytes
   */
  endSegment(length: number): number {
    const hasCompleted = this.#hasCompleted;
    const bytes = length - this.#content;
    this.#hasCompleted = false;
    this.#content = 0;
    if (bytes <= 0) return 0;
    const before = this.#memory;
    this.#bytes = hasCompleted ? bytes : this.#bytes + bytes;
    return this.#memory - before;
  }

  get #memory(): number {
    return this.#bytes <= FREE_BYTES ? 0 : MEMORY_PER_BYTE * Math.min(this.#bytes, MAX_BYTES);
  }
}
