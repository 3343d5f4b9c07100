import assert from 'node:assert/strict';
import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientFor } from '../../support/client.ts';
import { LIST } from '../../support/paths.ts';
import { listening, UNCOUNTED } from '../../support/process.ts';
import { missing } from '../../support/programs.ts';

const ARGS = ['dist/main.js', '--port=0', '--exit-with-stdin=on'];

/** Starts a program, which is killed if it outlives its test, and collects its output. */
function start(
  test: TestContext,
  program: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'stdio' | 'env'> = {},
) {
  const child = spawn(program, args, {
    ...options,
    env: { ...process.env, ...UNCOUNTED, ...options.env },
  });
  test.after(() => child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  // All processes that have its standard output have ended.
  const end = once(child, 'close').then(([status]) => ({ status, ...output }));
  return { child, end };
}

async function portOf({ child }: ReturnType<typeof start>): Promise<number> {
  const { stdout } = child;
  assert(stdout);
  return (await listening(stdout))?.port ?? assert.fail('it does not listen');
}

describe('EXIT_WITH_STDIN=on stops the service', () => {
  it('when its socket is closed, after it has dropped what arrived', async (test) => {
    const service = start(test, process.execPath, ARGS);
    const client = clientFor(test, `http://127.0.0.1:${await portOf(service)}`);
    const { stdin } = service.child;
    assert(stdin);
    await new Promise((resolve) => stdin.write('x'.repeat(4_000_000), resolve));
    assert.equal((await client.get(LIST)).status, 200);
    stdin.end();
    const { status, stdout, stderr } = await service.end;
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /"draining","reason":"end of standard input"(?:.|\n)*"stopped"/);
  });

  it('when its pipe is closed', { skip: missing('sh', 'cat') }, async (test) => {
    const program = `cat | '${process.execPath}' ${ARGS.join(' ')}`;
    const service = start(test, 'sh', ['-c', program]);
    await portOf(service);
    service.child.stdin?.end();
    const { status, stdout } = await service.end;
    assert.equal(status, 0);
    assert.match(stdout, /"stopped"/);
  });

  it('when the program that started it is killed', async (test) => {
    const runner = `
      const { spawn } = require('node:child_process');
      spawn(process.execPath, ${JSON.stringify(ARGS)}, { stdio: ['pipe', 'inherit', 'inherit'] });`;
    const started = start(test, process.execPath, ['--eval', runner]);
    await portOf(started);
    started.child.kill('SIGKILL');
    const { stdout } = await started.end;
    assert.match(stdout, /"draining","reason":"end of standard input"(?:.|\n)*"stopped"/);
  });

  it('before it runs, too', async (test) => {
    const service = start(test, process.execPath, ARGS);
    service.child.stdin?.end();
    assert.equal((await service.end).status, 0);
  });

  it('as gracefully as a signal that comes before', async (test) => {
    const env = { DRAIN_DELAY_MS: '1000' };
    const service = start(test, process.execPath, ARGS, { env });
    await portOf(service);
    service.child.kill('SIGTERM');
    // In real time, because both come from outside of the process: later than 100 ms, within which
    // two count as one, and long before the delay ends.
    await sleep(150);
    service.child.stdin?.end();
    const { status, stdout } = await service.end;
    assert.equal(status, 0);
    assert.match(stdout, /"reason":"SIGTERM"(?:.|\n)*"stopped"/);
  });
});

describe('with EXIT_WITH_STDIN=on, the start ends with one line and status 2', () => {
  const rule = 'needs a pipe or a socket as standard input, which is';
  const advice = 'start the service with a pipe, and keep it open';

  for (const [name, file] of [
    ['the null device', devNull],
    ['a file', 'package.json'],
  ] as const) {
    it(`if standard input is ${name}`, async (test) => {
      const input = openSync(file, 'r');
      test.after(() => closeSync(input));
      const stdio: SpawnOptions['stdio'] = [input, 'pipe', 'pipe'];
      const { end } = start(test, process.execPath, ARGS, { stdio });
      const stderr = `todo-service: --exit-with-stdin ${rule} neither; ${advice}\n`;
      assert.deepEqual(await end, { status: 2, stdout: '', stderr });
    });
  }

  it('if standard input is closed', { skip: missing('sh') }, async (test) => {
    const program = `'${process.execPath}' ${ARGS.join(' ')} <&-`;
    const { status, stdout, stderr } = await start(test, 'sh', ['-c', program]).end;
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /which is neither; .*\n$/);
  });

  const python = missing('python3');
  it('if standard input is a terminal', { skip: python }, async (test) => {
    const program =
      'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
    const args = ['-c', program, process.execPath, 'dist/main.js'];
    const env = { EXIT_WITH_STDIN: 'on', PORT: '0' };
    const { status, stdout } = await start(test, 'python3', args, { env }).end;
    assert.equal(stdout.trim(), `todo-service: EXIT_WITH_STDIN ${rule} a terminal; ${advice}`);
    assert.equal(status, 2);
  });
});
