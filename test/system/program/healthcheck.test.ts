import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { variantA } from '../../../src/service/todo/variant-a.ts';
import { ROOT, temporaryFolder } from '../../support/folder.ts';
import { UNCOUNTED } from '../../support/process.ts';
import { turns } from '../../support/raw.ts';
import { startApp } from '../../support/service.ts';

/** Built by `npm run build`. */
const PROGRAM = 'dist/healthcheck.js';

interface Outcome {
  readonly status: number | null;
  readonly stderr: string;
}

/** Timers that never end, so that an answer is in time on any machine; or the one that is given. */
const timersOf = (set: string) =>
  `data:text/javascript,import timers from 'node:timers';timers.setTimeout=${set}`;
const NEVER = timersOf('()=>{}');
const AT_ONCE = timersOf('setImmediate');

/** Runs the health check with these settings only, not with the settings of this process. */
function check(settings: NodeJS.ProcessEnv, args: string[] = [], timers = NEVER): Promise<Outcome> {
  const { PORT, HOST, VARIANT, TZ, ...inherited } = process.env;
  const env = { ...inherited, ...settings, ...UNCOUNTED };
  return new Promise((resolve) => {
    const done = (_error: unknown, _stdout: string, stderr: string) =>
      resolve({ status: child.exitCode, stderr });
    const child = execFile(
      process.execPath,
      ['--import', timers, PROGRAM, ...args],
      { cwd: ROOT, env },
      done,
    );
  });
}

/** Starts a TCP server that handles each connection with `serve`, and returns its port. */
async function portOf(test: TestContext, serve: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    serve(socket);
  }).listen(0, '127.0.0.1');
  test.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('the health check', () => {
  it('of the images is not debugged and not profiled with the service', async (test) => {
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll('\\\n', '');
    const [, command = ''] = /\nHEALTHCHECK .* CMD (\[.*\])\n/.exec(dockerfile) ?? [];
    const [, ...args]: string[] = JSON.parse(command);
    assert.equal(args.pop(), `/app/${PROGRAM}`);
    const { port } = await startApp(test, variantA);
    const profile = process.allowedNodeEnvironmentFlags.has('--cpu-prof') ? '--cpu-prof' : '';
    const env = { ...process.env, ...UNCOUNTED, HOST: '127.0.0.1', PORT: String(port) };
    const cwd = temporaryFolder();
    const { stderr } = await promisify(execFile)(process.execPath, [...args, join(ROOT, PROGRAM)], {
      cwd,
      env: { ...env, NODE_OPTIONS: `--inspect=0 ${profile}` },
    });
    assert.deepEqual([stderr, readdirSync(cwd)], ['', []]);
  });

  it('reads a response that arrives in pieces', async (test) => {
    const port = await portOf(test, async (socket) => {
      socket.resume().setNoDelay().write('HTTP/1.1 ');
      await turns(50);
      socket.end('200 OK\r\n\r\n');
    });
    assert.deepEqual(await check({ PORT: String(port) }), { status: 0, stderr: '' });
  });

  it('asks below BASE_PATH', async (test) => {
    const { port } = await startApp(test, variantA, { env: { BASE_PATH: '/todo' } });
    const settings = { PORT: String(port), BASE_PATH: '/todo/' };
    assert.deepEqual(await check(settings), { status: 0, stderr: '' });
    assert.match((await check({ PORT: String(port) })).stderr, /the response was 404/);
  });

  it('succeeds if the service is ready at the address in HOST', async (test) => {
    const { port } = await startApp(test, variantA, {});
    const settings = { PORT: String(port), HOST: 'localhost' };
    assert.equal((await check(settings)).status, 0);
    assert.match((await check({ ...settings, HOST: '127.0.0.3' })).stderr, /ECONNREFUSED/);
  });

  it('fails and says why: port 0, an invalid setting, an unknown flag', async () => {
    for (const [settings, args, reason] of [
      [{ PORT: '0' }, [], /^unhealthy: cannot check PORT=0; set a fixed port\n$/],
      [{ PORT: 'x' }, [], /^unhealthy: PORT must be [^\n]+\n$/],
      [{}, ['--help'], /^unhealthy: --help is not an option of the health check\n$/],
    ] as const) {
      const { status, stderr } = await check(settings, [...args]);
      assert.equal(status, 1);
      assert.match(stderr, reason);
    }
  });

  it('reports the response that is not 200', async (test) => {
    const draining = await portOf(test, (socket) =>
      socket.resume().end('HTTP/1.1 503 Service Unavailable\r\n\r\n'),
    );
    const silent = await portOf(test, () => {});
    const closing = await portOf(test, (socket) => socket.resume().end());
    const other = await portOf(test, (socket) => socket.resume().end('220 mail ready\r\n'));
    const expected = [
      [draining, 'the response was 503'],
      [silent, 'no response within 1500 ms', AT_ONCE],
      [closing, 'the connection was closed without a response'],
      [other, 'the response was not HTTP'],
    ] as const;
    const outcomes = await Promise.all(
      expected.map(([port, , timers]) => check({ PORT: String(port) }, [], timers)),
    );
    assert.deepEqual(
      outcomes,
      expected.map(([, reason]) => ({ status: 1, stderr: `unhealthy: ${reason}\n` })),
    );
  });
});
