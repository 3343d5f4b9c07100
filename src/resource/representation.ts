import { hash } from 'node:crypto';
import type { HeaderFields } from '../http/core/response.ts';
import type { ByteString } from '../json/byte-string.ts';
import type { FieldValues } from './field.ts';
import type { Serializer } from './serializer.ts';

/**
 * What clients and proxies may do with what they got: keep it, but ask before they use it again.
 */
export const REVALIDATE: HeaderFields = { 'Cache-Control': 'no-cache' };

/** As many characters of a hash, 6 bits each, as put an accident out of the question. */
const TAG_LENGTH = 24;

/** An item as it is sent. */
export class Representation {
  /** Its JSON text. */
  readonly text: ByteString;
  #readFields: HeaderFields | undefined;

  constructor(text: ByteString) {
    this.text = text;
  }

  /**
   * The strong entity tag (RFC 9110, section 8.8.3). It depends on the text alone, so it is the
   * same after a restart and on every replica.
   */
  get tag(): string {
    return this.readFields.ETag ?? '';
  }

  /** The header fields of a response to GET. */
  get readFields(): HeaderFields {
    this.#readFields ??= {
      ETag: `"${hash('sha256', this.text, 'base64url').slice(0, TAG_LENGTH)}"`,
      ...REVALIDATE,
    };
    return this.#readFields;
  }
}

/** Rows whose representations are cached, at most. */
const ENTRIES = 4096;

/** What a representation takes beside its text, in bytes. */
const ENTRY_BYTES = 256;

/**
 * Makes the representations of rows, and caches them, so that a row is serialized once as long as
 * it does not change: a changed row is another object. Each id has one entry, in which the row that
 * was asked for last stays (a direct-mapped cache).
 */
export class Representations {
  readonly #serialize: Serializer;
  readonly #id: string;
  readonly #maxBytes: number;
  readonly #rows = new Array<FieldValues | undefined>(ENTRIES).fill(undefined);
  readonly #cached = new Array<Representation | undefined>(ENTRIES).fill(undefined);
  #bytes = 0;

  /**
   * @param id the field that tells rows apart
   * @param maxBytes what they may take together; past it, the cache starts anew
   */
  constructor(serialize: Serializer, id: string, maxBytes: number) {
    this.#serialize = serialize;
    this.#id = id;
    this.#maxBytes = maxBytes;
  }

  /** The bytes that the cache takes. */
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
