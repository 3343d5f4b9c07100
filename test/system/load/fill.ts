import { connect } from 'node:net';
import { createRequest } from '../../support/raw-requests.ts';

/** Creates items as fast as one connection accepts them. */
export async function fill(port: number, rows: number, padding = ''): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const atOnce = 50;
  let sent = 0;
  let answered = 0;
  const send = () => {
    let bytes = '';
    for (let i = 0; i < atOnce && sent < rows; i++)
      bytes += createRequest({ body: item(++sent, padding) });
    socket.write(bytes);
  };
  send();
  for await (const chunk of socket) {
    answered += String(chunk).split('HTTP/1.1 201').length - 1;
    if (answered >= rows) break;
    if (answered >= sent) send();
  }
  socket.destroy();
}

function item(number: number, padding: string): string {
  const description = `the description of number ${number}, of some length${padding}`;
  return JSON.stringify({ title: `todo number ${number}`, description });
}
