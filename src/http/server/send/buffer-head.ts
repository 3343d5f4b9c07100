import { type ByteString, byteString, joined } from '../../../json/byte-string.ts';
import type { Middleware } from '../../core/handler.ts';
import type { Request } from '../../core/request.ts';
import { type Chunks, isChunks, type Response } from '../../core/response.ts';
import { closingOnFailure, type Work } from '../../core/work.ts';
import type { Scheduler } from '../connection/scheduler.ts';

/** Content up to this size is sent as one piece, with its length. */
const MAX_WHOLE_BYTES = 256 * 1024;

/**
 * Produces the beginning of chunked content before the head is sent. An error at that point can
 * still become a response, and short content is sent whole.
 */
export function beginContent(scheduler: Scheduler): Middleware {
  const begin = (request: Request, response: Response): Response | Promise<Response> => {
    const { content } = response;
    if (!isChunks(content)) return response;
    const begun = closingOnFailure(content, () => scheduler.run(new Beginning(content), request));
    const use = (content: ByteString | Chunks): Response => ({ ...response, content });
    return begun instanceof Promise ? begun.then(use) : use(begun);
  };
  return (next) => (request) => {
    const response = next(request);
    return response instanceof Promise
      ? response.then((each) => begin(request, each))
      : begin(request, response);
  };
}

/** Produces chunks until the content is complete, or too long for one piece. */
class Beginning implements Work<ByteString | Chunks> {
  readonly #chunks: Chunks;
  #made = byteString('');

  constructor(chunks: Chunks) {
    this.#chunks = chunks;
  }

  get bytes(): number {
    return this.#made.length + this.#chunks.bytes;
  }

  next(): IteratorResult<undefined, ByteString | Chunks> {
    const chunk = this.#chunks.next();
    if (chunk === undefined) {
      this.#chunks.close();
      this.#chunks.whole?.(this.#made);
      return { done: true, value: this.#made };
    }
    this.#made = joined(this.#made, chunk);
    if (this.#made.length <= MAX_WHOLE_BYTES) return { done: false, value: undefined };
    return { done: true, value: new Begun(this.#made, this.#chunks) };
  }
}

/** Chunks, the first of which have been produced already. */
class Begun implements Chunks {
  readonly #rest: Chunks;
  #made: ByteString | undefined;

  constructor(made: ByteString, rest: Chunks) {
    this.#made = made;
    this.#rest = rest;
  }

  get bytes(): number {
    return (this.#made?.length ?? 0) + this.#rest.bytes;
  }

  next(): ByteString | undefined {
    const made = this.#made;
    this.#made = undefined;
    return made ?? this.#rest.next();
  }

  close(): void {
    this.#rest.close();
  }
}
