import { Writable } from 'node:stream';

/** A stream that stops accepting data while `isRead` is false, until `read` is called. */
export class Stream extends Writable {
  readonly taken: string[] = [];
  #waiting: (() => void) | undefined;
  isRead = true;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.taken.push(String(chunk));
    if (this.isRead) done();
    else this.#waiting = done;
  }

  read(): void {
    this.isRead = true;
    this.#waiting?.();
  }
}
