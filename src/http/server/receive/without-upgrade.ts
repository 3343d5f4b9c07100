import type { IncomingMessage } from 'node:http';

/**
 * The header section of a request, with its `Upgrade` fields renamed. They still count: `node:http`
 * drops fields past a number, and `framing.ts` must see that.
 */
export function headWithoutUpgrade(message: IncomingMessage): Buffer {
  const { method, url, httpVersion, rawHeaders } = message;
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    head += `${name.toLowerCase() === 'upgrade' ? 'X-Upgrade' : name}: ${rawHeaders[i + 1]}\r\n`;
  }
  return Buffer.from(`${head}\r\n`, 'latin1');
}
