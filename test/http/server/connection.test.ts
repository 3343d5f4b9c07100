import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { it } from 'node:test';
import { Connection } from '../../../src/http/server/connection.ts';
import { HeldMemory } from '../../../src/http/server/held-memory.ts';
import { Scheduler } from '../../../src/http/server/scheduler.ts';
import { DEFAULT_SETTINGS } from '../../../src/http/server/settings.ts';

/** A connection with requests that are never answered. */
function connectionWith(requests: number): Socket {
  const socket = new Socket();
  const memory = new HeldMemory(DEFAULT_SETTINGS.maxHeldBytes);
  const scheduler = new Scheduler(DEFAULT_SETTINGS, memory);
  const connection = new Connection(socket, DEFAULT_SETTINGS, memory, scheduler, () => {});
  for (let i = 0; i < requests; i++) {
    const message = new IncomingMessage(socket);
    connection.begin(message, new ServerResponse(message), false);
  }
  return socket;
}

it('a connection on which many requests wait is not read, even after it has drained', () => {
  const socket = connectionWith(20);
  assert(socket.isPaused());
  // As `node:http` does.
  socket.resume();
  socket.emit('drain');
  assert(socket.isPaused());
});

it('a connection on which few requests wait is read after it has drained', () => {
  const socket = connectionWith(3);
  socket.resume();
  socket.emit('drain');
  assert(!socket.isPaused());
});
