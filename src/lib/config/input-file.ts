import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Reads a file, or a pipe such as `<(command)` to its end.
 * @throws Error if it cannot be read, or is longer than `maxBytes`
 */
export function readInputFile(file: string, maxBytes: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const content = Buffer.alloc(maxBytes + 1);
    for (let length = 0; length <= maxBytes; ) {
      const read = readSync(descriptor, content, { offset: length });
      if (read === 0) return content.subarray(0, length);
      length += read;
    }
    throw new Error(`it has more than ${maxBytes} bytes`);
  } finally {
    closeSync(descriptor);
  }
}
