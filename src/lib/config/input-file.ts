import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 65_536;

/** How long a pipe may be silent, and how often to look, in milliseconds. */
const SILENCE_MS = 10_000;
const PAUSE_MS = 10;

/**
 * Reads a file, or a pipe such as `<(command)`, to which nobody may ever write.
 * @throws Error if it cannot be read, is longer than `maxBytes`, or is silent for too long
 */
export function readInputFile(file: string, maxBytes: number, silenceMs = SILENCE_MS): Buffer {
  const reading = input(file, maxBytes, silenceMs);
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  let step = reading.next();
  for (; !step.done; step = reading.next()) Atomics.wait(nothing, 0, 0, PAUSE_MS);
  return step.value;
}

/** Reads an input as far as there is something to read; yields to wait for more. */
function* input(file: string, maxBytes: number, silenceMs: number): Generator<undefined, Buffer> {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const isPipe = fstatSync(descriptor).isFIFO();
    const chunks: Buffer[] = [];
    let length = 0;
    for (let silentMs = 0; silentMs < silenceMs; ) {
      const chunk = available(descriptor);
      // A pipe that nobody has opened to write looks as if it had ended.
      if (chunk?.length === 0 && (length > 0 || !isPipe)) return Buffer.concat(chunks);
      if (chunk?.length) {
        chunks.push(chunk);
        length += chunk.length;
        silentMs = 0;
      } else {
        yield;
        silentMs += PAUSE_MS;
      }
      if (length > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    }
    throw new Error(`nothing was written to it for ${silenceMs / 1_000} seconds`);
  } finally {
    closeSync(descriptor);
  }
}

/** What can be read now: nothing at the end, undefined if that is still to come. */
function available(descriptor: number): Buffer | undefined {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    return chunk.subarray(0, readSync(descriptor, chunk));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw error;
  }
}
