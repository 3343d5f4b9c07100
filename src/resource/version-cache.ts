import type { ByteString } from '../json/byte-string.ts';

/** Caches a text that depends on a version only, so that it is made once between two writes. */
export class VersionCache {
  #version: string | undefined;
  #text: Buffer | undefined;

  /** The text cached under a version; undefined if there is none. */
  get(version: string): Buffer | undefined {
    return version === this.#version ? this.#text : undefined;
  }

  set(version: string, text: ByteString): void {
    this.#version = version;
    this.#text = Buffer.from(text, 'latin1');
  }
}
