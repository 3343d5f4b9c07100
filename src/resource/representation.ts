import { CachedResponse, type HeaderFields, JSON_MEDIA_TYPE } from '../http/core/response.ts';
import { contentHash } from '../http/response/content-hash.ts';
import type { ByteString } from '../json/byte-string.ts';
import type { FieldValues } from './field.ts';
import type { Serializer } from './serializer.ts';

/** Clients and proxies may keep responses, but must revalidate before reuse. */
export const REVALIDATE: HeaderFields = { 'Cache-Control': 'no-cache' };

/** An item as sent to clients. */
export class Representation {
  /** Its JSON text. */
  readonly text: ByteString;
  #tag: string | undefined;
  #response: CachedResponse | undefined;

  constructor(text: ByteString) {
    this.text = text;
  }

  /**
   * The strong entity tag (RFC 9110, section 8.8.3). It depends on the text alone, so it is the
   * same after a restart and on every replica.
   */
  get tag(): string {
    this.#tag ??= `"${contentHash(this.text)}"`;
    return this.#tag;
  }

  /** The response to GET. */
  get response(): CachedResponse {
    this.#response ??= new CachedResponse(
      200,
      { ETag: this.tag, ...REVALIDATE },
      JSON_MEDIA_TYPE,
      this.text,
    );
    return this.#response;
  }
}

/** The most rows whose representations are cached. */
const ENTRIES = 4096;

/** The memory of a representation and its response besides its text, in bytes. */
const ENTRY_BYTES = 1024;

/**
 * Makes and caches the representations of rows, so that a row is serialized once as long as it does
 * not change; a changed row is a new object. The cache is direct-mapped: each id has one entry,
 * which the last row takes over.
 */
export class Representations {
  readonly #serialize: Serializer;
  readonly #id: string;
  readonly #maxBytes: number;
  readonly #rows = new Array<FieldValues | undefined>(ENTRIES).fill(undefined);
  readonly #cached = new Array<Representation | undefined>(ENTRIES).fill(undefined);
  #bytes = 0;

  /**
   * @param id the field that identifies rows
   * @param maxBytes the most memory in all; beyond that, the cache starts again
   */
  constructor(serialize: Serializer, id: string, maxBytes: number) {
    this.#serialize = serialize;
    this.#id = id;
    this.#maxBytes = maxBytes;
  }

  /** The memory of the cache, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  of(row: FieldValues): Representation {
    const entry = Math.abs(Number(row[this.#id])) % ENTRIES;
    const cached = this.#cached[entry];
    if (cached !== undefined && this.#rows[entry] === row) return cached;
    const made = new Representation(this.#serialize(row));
    const before = cached === undefined ? 0 : bytesOf(cached);
    this.#bytes += bytesOf(made) - before;
    if (this.#bytes > this.#maxBytes) this.#clear(made);
    this.#rows[entry] = row;
    this.#cached[entry] = made;
    return made;
  }

  #clear(made: Representation): void {
    this.#rows.fill(undefined);
    this.#cached.fill(undefined);
    this.#bytes = bytesOf(made);
  }
}

function bytesOf({ text }: Representation): number {
  return text.length + ENTRY_BYTES;
}
