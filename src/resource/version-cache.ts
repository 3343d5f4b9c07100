import type { ByteString } from '../json/byte-string.ts';

/** A text that is the same as long as a version is, and is made once between two writes. */
export class VersionCache {
  #version: number | undefined;
  #text: Buffer | undefined;

  /** The bytes of the text that was cached under this version; undefined where there is none. */
  get(version: number): Buffer | undefined {
    return version === this.#version ? this.#text : undefined;
  }

  set(version: number, text: ByteString): void {
    this.#version = version;
    this.#text = Buffer.from(text, 'latin1');
  }
}
