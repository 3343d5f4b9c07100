import { connect } from 'node:net';
import { getRequest } from '../../support/raw-requests.ts';

const [port = '', path = '', count = '', pace = ''] = process.argv.slice(2);

/** Repeats the request after every complete response, and on a new connection if one ends. */
function read(): void {
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  socket.on('close', () => setTimeout(read, 100));
  socket.on('data', (chunk) => {
    if (chunk.subarray(-5).equals(Buffer.from('0\r\n\r\n'))) socket.write(getRequest(path));
  });
  if (pace === 'stuck') socket.pause();
  socket.write(getRequest(path));
}

for (let i = 0; i < Number(count); i++) read();
