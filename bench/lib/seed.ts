import { once } from 'node:events';
import { createConnection } from 'node:net';
import { type Row, rowOf } from './rows.ts';
import type { Server } from './server.ts';

/** The number of pending requests at a time. A server may close a connection with more. */
const BATCH = 50;

/**
 * Creates the rows `first` to `last` in order, over HTTP, with pipelined requests on one
 * connection.
 */
export async function seed(server: Server, first: number, last: number): Promise<void> {
  const socket = createConnection({ port: server.port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  socket.setEncoding('latin1');
  for (let next = first; next <= last; next += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, last + 1 - next) }, (_, i) => next + i);
    const created = new Promise<void>((resolve, reject) => {
      let text = '';
      socket.removeAllListeners('data').on('data', (chunk) => {
        text += chunk;
        if (/HTTP\/1\.1 [45]/.test(text))
          reject(new Error(`${server.name} refuses a row: ${text}`));
        if (text.split('HTTP/1.1 201 ').length > ids.length) resolve();
      });
    });
    socket.write(ids.map((id) => createRequest(rowOf(id))).join(''));
    await created;
  }
  socket.destroy();
}

function createRequest({ title, description, priority }: Row): string {
  const body = JSON.stringify({ title, description, priority });
  return `POST /api/todos HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
