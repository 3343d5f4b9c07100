import assert from 'node:assert/strict';
import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { it } from 'node:test';
import { ClientMemory } from '../../../../src/lib/http/server/connection/client-memory.ts';
import { Connection } from '../../../../src/lib/http/server/connection/connection.ts';
import { Scheduler } from '../../../../src/lib/http/server/connection/scheduler.ts';
import { IncomingRequest } from '../../../../src/lib/http/server/receive/node-internals.ts';
import { DEFAULT_SETTINGS } from '../../../../src/lib/http/server/settings.ts';

function nextTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** A connection with requests that are never answered, whose content does not arrive. */
async function connectionWith(requests: number): Promise<Socket> {
  const socket = new Socket();
  const memory = new ClientMemory(DEFAULT_SETTINGS.maxClientBytes);
  const scheduler = new Scheduler(DEFAULT_SETTINGS, memory);
  const connection = new Connection(socket, DEFAULT_SETTINGS, scheduler, () => {});
  for (let i = 0; i < requests; i++) {
    const message = Object.assign(new IncomingRequest(socket), {
      ...{ httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 },
      headers: { 'content-length': '5' },
    });
    connection.acceptRequest(message, new ServerResponse(message));
  }
  await nextTick();
  return socket;
}

it('a connection on which many requests wait is not read, even after node:http resumes it', async () => {
  const socket = await connectionWith(20);
  assert(socket.isPaused());
  socket.resume();
  await nextTick();
  assert(socket.isPaused());
});

it('a connection on which one request waits for its content is read after node:http resumes it', async () => {
  const socket = await connectionWith(2);
  socket.resume();
  await nextTick();
  assert(!socket.isPaused());
});
