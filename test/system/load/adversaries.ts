/*
 * A load of everything that malicious clients can do within the limits, all at once, for some
 * seconds. Prints the `Outcome` as JSON. Run as a separate process:
 *
 *   node --import tsx test/system/load/adversaries.ts <port> <seconds>
 */
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { EVENTS, itemPath, LIST } from '../../support/paths.ts';
import { createRequest, getRequest } from '../../support/raw-requests.ts';
import { COSTLY_QUERIES } from './costly.ts';

/** The responses that the clients got. */
export interface Outcome {
  /** The number of responses by method and status, or of failures by error. */
  readonly statuses: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

// On separate machines, they would not compete with the service for processor time.
setPriority(10);

const [portText = '', secondsText = ''] = process.argv.slice(2);
const port = Number(portText);
const end = performance.now() + Number(secondsText) * 1_000;

const origin = `http://127.0.0.1:${port}`;
const agent = new Agent({ connections: 64, maxHeaderSize: 64 * 1024 });
const statuses: Record<string, Record<string, number>> = {};

function count(method: string, what: string | number): void {
  statuses[method] ??= {};
  statuses[method][what] = (statuses[method][what] ?? 0) + 1;
}

/**
 * The longest texts allowed, in each width they are stored in: one, two and four bytes per
 * character.
 */
const ALPHABETS = ['a', 'é', '\u{1F600}', '\u{10400}'] as const;
const TEXTS = ALPHABETS.map((character) => ({
  title: character.repeat(200),
  description: character.repeat(1_000),
}));

function isOver(): boolean {
  return performance.now() >= end;
}

async function send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) {
  const response = await request(origin + path, {
    dispatcher: agent,
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  count(method, response.statusCode);
  return { status: response.statusCode, text: await response.body.text() };
}

/** Repeats work; counts failures under the name of their error. */
async function repeat(name: string, pauseMs: number, work: () => Promise<unknown>): Promise<void> {
  while (!isOver()) {
    try {
      await work();
    } catch (error) {
      count(name, error instanceof Error && 'code' in error ? String(error.code) : String(error));
    }
    await sleep(pauseMs);
  }
}

/**
 * The time over which connections are opened: hundreds at once would be one turn of the event loop.
 */
const RAMP_MS = 2_000;

let lastId = 0;

async function write(): Promise<void> {
  const text = TEXTS[Math.floor(Math.random() * TEXTS.length)];
  const { status, text: body } = await send('POST', LIST, text);
  if (status === 201) lastId = JSON.parse(body).id;
  const some = () => itemPath(1 + Math.floor(Math.random() * lastId));
  await send('PUT', some(), { ...text, completed: Math.random() < 0.5 });
  if (Math.random() < 0.3) await send('DELETE', some());
}

/**
 * Sends a request on its own connection and does not read the response, or only slowly; reconnects
 * when cut.
 */
async function stall(bytes: string, rate?: number): Promise<void> {
  await sleep(Math.random() * RAMP_MS);
  while (!isOver()) {
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
      socket.on('error', () => {});
      socket.once('close', resolve);
      if (rate === undefined) socket.pause();
      else readSlowly(socket, rate);
      setTimeout(() => socket.destroy(), Math.max(0, end - performance.now())).unref();
    });
    await sleep(100);
  }
}

/** Reads at a steady rate, in bytes per second. */
function readSlowly(socket: Socket, rate: number): void {
  const everyMs = 50;
  socket.pause();
  const timer = setInterval(() => {
    let taken = 0;
    while (taken < (rate * everyMs) / 1_000) {
      const chunk = socket.read();
      if (chunk === null) break;
      taken += chunk.length;
    }
  }, everyMs);
  socket.once('close', () => clearInterval(timer));
}

const fields = Array.from({ length: 95 }, (_, i) => `X-Field-${i}: ${'v'.repeat(20)}\r\n`).join('');
const pipelined = getRequest(LIST) + getRequest('/livez', fields).repeat(4_000);
const halfContent = createRequest().slice(0, -2);

await Promise.all([
  ...Array.from({ length: 4 }, () => repeat('POST', 0, write)),
  ...COSTLY_QUERIES.map((query) => repeat('GET', 20, () => send('GET', `${LIST}?${query}`))),
  ...Array.from({ length: 4 }, () => stall(pipelined)),
  ...Array.from({ length: 250 }, () => stall(getRequest(LIST))),
  ...Array.from({ length: 64 }, () => stall(getRequest(LIST), 100_000)),
  ...Array.from({ length: 20 }, () => stall(getRequest(EVENTS))),
  ...Array.from({ length: 100 }, () => stall(halfContent)),
]);
await agent.destroy();

const outcome: Outcome = { statuses };
process.stdout.write(JSON.stringify(outcome));
process.exit();
