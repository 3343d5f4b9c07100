import type { Traffic } from './transport.ts';

/** So many bytes of a header section belong to the memory of a connection itself. */
const FREE_HEAD_BYTES = 2 * 1024;

/** The memory that a byte takes, with the strings and places of a field's name and value. */
const MEMORY_PER_BYTE = 2;

/**
 * The beginning of a header section. `node:http` tells nothing of it until it is complete: all that
 * was read since the segment before the last header section, except content, may be one.
 */
export class ReadAhead {
  readonly #traffic: Traffic;
  readonly #maxHeadBytes: number;
  /** How much had been read with the last piece of content, and with what was parsed last. */
  #contentReadAt = 0;
  #parsedAt = 0;
  /** How much of what was read is no beginning of a header section, in bytes. */
  #otherBytes = 0;

  constructor(traffic: Traffic, maxHeadBytes: number) {
    this.#traffic = traffic;
    this.#maxHeadBytes = maxHeadBytes;
  }

  /** The memory of it, in bytes. */
  get bytes(): number {
    const headBytes = Math.min(this.#traffic.bytesRead - this.#otherBytes, this.#maxHeadBytes);
    return headBytes <= FREE_HEAD_BYTES ? 0 : MEMORY_PER_BYTE * headBytes;
  }

  /** Whether content of the last request has come in the last segment. */
  get hasContentInSegment(): boolean {
    return this.#contentReadAt === this.#traffic.bytesRead;
  }

  /** A header section is complete. The segment that completes it may hold more. */
  takeHead(): void {
    this.#contentReadAt = 0;
    const { bytesRead } = this.#traffic;
    if (bytesRead > this.#parsedAt) this.#otherBytes = this.#parsedAt;
    this.#parsedAt = bytesRead;
  }

  /** A piece of content of so many bytes has arrived. */
  takeContent(bytes: number): void {
    this.#contentReadAt = this.#traffic.bytesRead;
    this.#parsedAt = this.#contentReadAt;
    this.#otherBytes += bytes;
  }
}
