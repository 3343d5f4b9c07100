import { closeSync, constants, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 65_536;

/** How long to wait before a pipe is read again, in milliseconds. */
const PAUSE_MS = 10;

/**
 * Reads a file, or a pipe such as `<(command)` to its end.
 * @throws Error if it cannot be read, or is longer than `maxBytes`
 */
export function readInputFile(file: string, maxBytes: number): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const chunks: Buffer[] = [];
    for (let length = 0; length <= maxBytes; ) {
      const chunk = readChunk(descriptor);
      if (chunk?.length === 0) return Buffer.concat(chunks);
      if (chunk === undefined) {
        pause();
        continue;
      }
      chunks.push(chunk);
      length += chunk.length;
    }
    throw new Error(`it has more than ${maxBytes} bytes`);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns what can be read now: nothing at the end, undefined if more is still to come. */
function readChunk(descriptor: number): Buffer | undefined {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    return chunk.subarray(0, readSync(descriptor, chunk));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw error;
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
