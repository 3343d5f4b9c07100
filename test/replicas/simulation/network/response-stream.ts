import type { HttpResponse } from '../../../../src/replicas/replica/etcd/transport.ts';

/** A response whose body arrives piece by piece. */
export class ResponseStream implements HttpResponse {
  readonly statusCode: number;
  readonly #pieces: Uint8Array[] = [];
  #end: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  constructor(statusCode: number) {
    this.statusCode = statusCode;
  }

  push(piece: Uint8Array): void {
    if (this.#end === undefined) this.#pieces.push(piece);
    this.#wake?.();
  }

  /** @param error why it breaks off; undefined if it ends as it should */
  end(error?: Error): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#end?.error !== undefined) throw this.#end.error;
      else if (this.#end !== undefined) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
