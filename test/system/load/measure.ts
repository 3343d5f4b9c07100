import { Agent, get } from 'node:http';
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

/** The response times of requests sent one after another, in milliseconds, in ascending order. */
export async function latencies(port: number, path: string, count: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    const status = await statusOf(agent, port, path);
    times.push(performance.now() - start);
    if (status !== 200) throw new Error(`${path} got ${status}`);
  }
  agent.destroy();
  return times.sort((a, b) => a - b);
}

function statusOf(agent: Agent, port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get({ agent, host: '127.0.0.1', port, path }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    request.once('error', reject);
  });
}

/** Summarises ascending times for people to read. */
export function summary(times: readonly number[]): string {
  const at = (share: number) => times[Math.floor((times.length - 1) * share)]?.toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms, of ${times.length}`;
}
