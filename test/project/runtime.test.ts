import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { unsupportedRuntime } from '../../src/service/runtime.ts';
import { ROOT, temporaryFolder } from '../support/folder.ts';

const ENGINES: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node;

it('Bun and Deno, which have a `node:http` of their own, are not supported', () => {
  const { versions } = process;
  assert.match(unsupportedRuntime({ ...versions, bun: '1.0.0' }) ?? '', /^Bun is not supported/);
  assert.match(unsupportedRuntime({ ...versions, deno: '1.0.0' }) ?? '', /^Deno is not supported/);
});

describe('the versions of Node that the service supports', () => {
  it('are those of `engines`, to the patch', () => {
    assert.equal(ENGINES, '^20.20.2 || >=22.3');
    for (const [node, isSupported] of [
      ['12.22.12', false],
      ['18.20.8', false],
      ['20.20.1', false],
      ['20.20.2', true],
      ['20.21.0', true],
      ['21.0.0', false],
      ['21.7.3', false],
      ['22.2.0', false],
      ['22.3.0', true],
      ['22.18.0', true],
      ['23.0.0', true],
      ['100.0.0', true],
    ] as const) {
      const reason = unsupportedRuntime({ ...process.versions, node });
      assert.equal(reason === undefined, isSupported, node);
    }
  });
});

describe('options of Node with which the service cannot start', () => {
  for (const { options, flag, reason } of [
    {
      options: ['--frozen-intrinsics'],
      flag: '--frozen-intrinsics',
      reason: '--frozen-intrinsics is not supported; start Node without it',
    },
    {
      options: ['--permission', '--allow-fs-read=*'],
      flag: '--allow-net',
      reason: 'Node may not listen; add --allow-net beside --permission',
    },
  ]) {
    const isKnown = process.allowedNodeEnvironmentFlags.has(flag);
    const skip = isKnown ? false : `Node ${process.version} has no ${flag}`;
    it(`end it with one line and status 2: ${options[0]}`, { skip }, () => {
      const args = [...options, join(ROOT, 'dist/main.js'), '--port=0'];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.deepEqual([status, stdout], [2, '']);
      assert(stderr.startsWith(`todo-service: ${reason}\n`), stderr);
    });
  }
});

// The folder contains only the launcher, so a launcher that loads another file fails.
describe('in another version of Node, before anything else is loaded', () => {
  const other = `Object.defineProperty(process, 'versions', { value: { node: '18.20.8' } })`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(other)}`;
  const env = { ...process.env, NODE_OPTIONS };
  const reason = 'Node 18.20.8 is not supported; use 20.20.2 or a later Node 20, or 22.3 or newer';
  const folder = temporaryFolder();
  for (const name of ['main.js', 'index.js', 'package.json']) {
    copyFileSync(join(ROOT, 'dist', name), join(folder, name));
  }

  it('the program ends with one line and status 2', () => {
    const args = [join(folder, 'main.js'), '--port=0'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    assert.deepEqual([status, stdout, stderr], [2, '', `todo-service: ${reason}\n`]);
  });

  it('the package rejects', () => {
    const user = join(folder, 'user.mjs');
    writeFileSync(
      user,
      `import { startTodoService } from './index.js';
      startTodoService().catch(({ message }) => process.stdout.write(message));`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, [user], { env, encoding: 'utf8' });
    assert.deepEqual([stdout, stderr], [reason, '']);
  });
});
