import type { Socket } from 'node:net';
import type { Message } from './message.ts';

/**
 * Whether `node:http` may have lost what follows a request: its parser stops after one that asks
 * for another protocol, and goes on with the next segment, even if nobody takes the request up on
 * it. Then the rest must not be taken for requests.
 * @param readBefore how much had been read from the socket before the request, in bytes
 */
export function mayHaveLostBytes(message: Message, socket: Socket, readBefore: number): boolean {
  const { upgrade, connection = '', 'transfer-encoding': coding } = message.headers;
  if (upgrade === undefined || !/upgrade/i.test(connection)) return false;
  return coding !== undefined || socket.bytesRead - readBefore !== lengthOf(message);
}

/** The length, in bytes, of a request that is not chunked and has only the white space it needs. */
function lengthOf({ method = '', url = '', httpVersion, rawHeaders, headers }: Message): number {
  const startLine = `${method} ${url} HTTP/${httpVersion}\r\n`;
  let length = startLine.length + '\r\n'.length;
  for (const text of rawHeaders) length += text.length + ': '.length;
  return length + Number(headers['content-length'] ?? 0);
}
