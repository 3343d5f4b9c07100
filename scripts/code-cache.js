// Writes the code that V8 makes of dist/program.js to dist/program.cache: of the functions that a
// start and a request need, and of no others, because loading those would take longer than
// compiling them when they are needed. Run with --random-seed, so that each build makes the same
// bytes.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** How long the program may need to finish with its connection, in milliseconds. */
const FINISH_MS = 200;

const REQUEST = 'GET /api/todos?limit=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

/** A port that nobody listens on. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Sends a request, and waits until the server has closed the connection. */
async function request(port) {
  const socket = connect(port, '127.0.0.1').resume();
  await once(socket, 'connect');
  socket.write(REQUEST);
  await once(socket, 'close');
}

// Threads that compile functions leave marks on them, now or a bit later. The code carries a hash
// of the flags, so that they have to be as before when it is written.
const TIERS = ['sparkplug', 'opt'];
// On by default from V8 12 on.
if (!process.versions.v8.startsWith('11.')) TIERS.push('maglev');
for (const tier of TIERS) setFlagsFromString(`--no-${tier}`);
const port = await freePort();
process.argv = [process.execPath, 'program.js'];
// What is called must not depend on how long anything takes.
performance.now = () => 0;
Date.now = () => 0;
process.env = { PORT: String(port), HOST: '127.0.0.1' };
const script = new Script(readFileSync('dist/program.js', 'latin1'), {
  filename: 'program.js',
});
script.runInThisContext()({}, createRequire(import.meta.url), {}, 'program.js', 'dist');
for (let isServed = false; !isServed; ) {
  isServed = await request(port).then(
    () => true,
    () => sleep(1),
  );
}
await sleep(FINISH_MS);
for (const tier of TIERS) setFlagsFromString(`--${tier}`);
const code = script.createCachedData();
// Twice, so that main.js can tell whether it is damaged.
writeFileSync('dist/program.cache', Buffer.concat([code, code]));
process.exit();
