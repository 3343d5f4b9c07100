import type { Traffic } from './transport.ts';

/** So many bytes of a header section belong to the memory of a connection itself. */
const FREE_HEAD_BYTES = 2 * 1024;

/** The memory that a byte takes, with the strings and places of a field's name and value. */
const MEMORY_PER_BYTE = 2;

/**
 * What a client has sent that is no request to serve, such as the beginning of a header section. Of
 * that, `node:http` tells nothing until it is complete: all that was read since the last look,
 * except content, may be the beginning of one.
 */
export class ReadAhead {
  /** The memory of requests after the last one to serve, in bytes. */
  ignoredBytes = 0;
  readonly #traffic: Traffic;
  readonly #maxHeadBytes: number;
  /** How much had been read with the last piece of content, and at the last look, in bytes. */
  #contentReadAt = 0;
  #read = 0;
  /** How much may be the beginning of a header section, in bytes. */
  #headBytes = 0;

  constructor(traffic: Traffic, maxHeadBytes: number) {
    this.#traffic = traffic;
    this.#maxHeadBytes = maxHeadBytes;
  }

  /** The memory of it all, in bytes. */
  get bytes(): number {
    const counted = Math.min(this.#headBytes, this.#maxHeadBytes);
    return this.ignoredBytes + (counted <= FREE_HEAD_BYTES ? 0 : MEMORY_PER_BYTE * counted);
  }

  /** Whether content of the last request has come in the last segment. */
  get hasContentInSegment(): boolean {
    return this.#contentReadAt === this.#traffic.bytesRead;
  }

  /** A header section is complete. */
  takeHead(): void {
    this.#contentReadAt = 0;
    const added = this.#traffic.bytesRead - this.#read;
    // The segment that completes it may also hold the beginning of the next one.
    if (added > 0) this.#setHead(added);
  }

  /** Some time has passed, or a piece of content of so many bytes has arrived. */
  look(contentBytes = 0): void {
    const { bytesRead } = this.#traffic;
    if (contentBytes > 0) this.#contentReadAt = bytesRead;
    this.#setHead(this.#headBytes + bytesRead - this.#read - contentBytes);
  }

  #setHead(bytes: number): void {
    this.#headBytes = Math.max(0, bytes);
    this.#read = this.#traffic.bytesRead;
  }
}
