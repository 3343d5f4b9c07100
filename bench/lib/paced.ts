/*
 * Sends the requests of a file at a fixed rate, and prints the response times, in microseconds, as
 * JSON. A request's time starts when it is due, not when it is sent: if all connections wait for a
 * slow server, the waiting of the requests that pile up counts as well (no coordinated omission).
 *
 * node paced.ts <port> <file> <requests per second> <seconds> <connections>
 */
import { readFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { quantile } from './stats.ts';

const [port = 0, rate = 0, seconds = 0, width = 0] = [2, 4, 5, 6].map((i) =>
  Number(process.argv[i]),
);
const requests = readFileSync(process.argv[3] ?? '', 'utf8')
  .trimEnd()
  .split('\n')
  .map(requestOf);

/** Not measured: connections are opened, caches filled. */
const WARM_UP_SECONDS = 1;
const total = Math.round(rate * (seconds + WARM_UP_SECONDS));
const unmeasured = Math.round(rate * WARM_UP_SECONDS);
const latencies = new Float64Array(total - unmeasured);
const idle: Socket[] = [];
/** When the pending request of a connection was due. */
const due = new Map<Socket, number>();
let sent = 0;
let answered = 0;

for (let i = 0; i < width; i++) connect();
// Requests are due only once all connections are open.
const start = performance.now() + 200;
pace();

/**
 * Sends due requests while connections are free, and checks again in the next turn of the event
 * loop.
 */
function pace(): void {
  while (sent < total && idle.length > 0 && dueAt(sent) <= performance.now()) {
    // In turn, because a connection on which nothing is sent is closed after some seconds.
    const socket = idle.shift();
    if (!socket) break;
    due.set(socket, sent);
    socket.write(requests[sent % requests.length] ?? '');
    sent++;
  }
  if (answered < total) setImmediate(pace);
  else finish();
}

function dueAt(request: number): number {
  return start + (request * 1000) / rate;
}

function finish(): void {
  latencies.sort();
  const [p50, p99, p999] = [0.5, 0.99, 0.999].map((share) => quantile(latencies, share) * 1000);
  process.stdout.write(JSON.stringify({ p50, p99, p999 }));
  process.exit();
}

function connect(): void {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
  let text = '';
  socket.setEncoding('latin1');
  socket.on('connect', () => idle.push(socket));
  socket.on('data', (chunk) => {
    text = text === '' ? String(chunk) : text + chunk;
    if (!isComplete(text)) return;
    if (!text.startsWith('HTTP/1.1 2')) throw new Error(text);
    const request = due.get(socket) ?? 0;
    const latency = performance.now() - dueAt(request);
    if (request >= unmeasured) latencies[request - unmeasured] = latency;
    text = '';
    answered++;
    idle.push(socket);
  });
}

/** Whether a response is complete. There is never more than one pending. */
function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return length === undefined
    ? text.endsWith('\r\n0\r\n\r\n')
    : text.length === end + 4 + Number(length);
}

function requestOf(line: string): string {
  const [method, target, body] = line.split('\t');
  const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
