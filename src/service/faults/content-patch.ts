import { type ContentParts, JSON_MEDIA_TYPE, type Response } from '../../lib/http/index.ts';
import {
  type ByteString,
  byteString,
  elementTexts,
  exactJsonText,
  mergePatch,
  parseJson,
} from '../../lib/json/index.ts';
import { NOT_YET } from '../../lib/steps.ts';

/** The maximum length of content that is patched, before and after, in bytes. */
const MAX_BYTES = 1024 * 1024;

/** The memory of content while it is patched: its bytes, its text and the new text. */
export const PATCHING_BYTES = 3 * MAX_BYTES;

/** The content of a response if it can be patched: JSON of a success. */
export function patchableContentOf({ status, mediaType, content }: Response) {
  const isJson = status >= 200 && status < 300 && mediaType === JSON_MEDIA_TYPE;
  return isJson && typeof content !== 'function' ? content : undefined;
}

/** The parts of whole content. */
const WHOLE = {
  ...{ isLast: true, isShort: true, restart: () => {} },
  next: (): IteratorResult<undefined, void> => ({ done: true, value: undefined }),
};

/**
 * JSON content with merge patches, made in steps. If none can be applied, such as to long content, it
 * is the content as it was, whose first parts are joined.
 */
export class PatchedContent implements ContentParts {
  readonly isShort = false;
  part: ByteString | Buffer = byteString('');
  /** The indexes of the patches that were applied. */
  readonly applied = new Set<number>();
  readonly #source: ContentParts;
  readonly #patches: readonly object[];
  #steps: Generator<undefined, void>;
  #isMade = false;

  constructor(content: ByteString | Buffer | ContentParts, patches: readonly object[]) {
    const isWhole = typeof content === 'string' || Buffer.isBuffer(content);
    this.#source = isWhole ? { part: content, ...WHOLE } : content;
    this.#patches = patches;
    this.#steps = this.#make();
  }

  get isLast(): boolean {
    return this.#source.isLast;
  }

  next(): IteratorResult<undefined, void> {
    const step = this.#isMade ? this.#source.next() : this.#steps.next();
    if (!step.done) return NOT_YET;
    if (this.#isMade) this.part = this.#source.part;
    this.#isMade = true;
    return step;
  }

  restart(): void {
    this.#source.restart();
    this.#steps = this.#make();
    this.#isMade = false;
    this.part = byteString('');
    this.applied.clear();
  }

  close(): void {
    this.#source.close?.();
  }

  *#make(): Generator<undefined, void> {
    const content = yield* this.#join();
    this.part = content;
    let json = content.length > MAX_BYTES ? undefined : content.toString();
    for (const [index, patch] of this.#patches.entries()) {
      const patched = json && (yield* patchJson(json, patch));
      if (patched === undefined) continue;
      json = patched;
      this.applied.add(index);
    }
    if (json !== undefined) this.part = Buffer.from(json);
  }

  /** Joins the parts, but no more of them than it takes to be too long. */
  *#join(): Generator<undefined, Buffer> {
    const source = this.#source;
    const parts: Buffer[] = [];
    let bytes = 0;
    do {
      while (!source.next().done) yield;
      bytes += source.part.length;
      parts.push(bytesOf(source.part));
    } while (!source.isLast && bytes <= MAX_BYTES);
    return Buffer.concat(parts);
  }
}

/** A copy, because the next part may be made in the same buffer. */
function bytesOf(part: ByteString | Buffer): Buffer {
  return typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part);
}

/** Patches a JSON text, each element of an array. Returns undefined if the result is too long. */
function* patchJson(json: string, patch: object): Generator<undefined, string | undefined> {
  const isArray = json.startsWith('[');
  const texts: string[] = [];
  let length = 0;
  for (const text of isArray ? elementTexts(json) : [json]) {
    const patched = exactJsonText(mergePatch(parseJson(text), patch), Number.POSITIVE_INFINITY);
    length += patched?.length ?? Number.POSITIVE_INFINITY;
    if (patched === undefined || length > MAX_BYTES) return undefined;
    texts.push(patched);
    yield;
  }
  const result = isArray ? `[${texts}]` : texts.join();
  return Buffer.byteLength(result) <= MAX_BYTES ? result : undefined;
}
