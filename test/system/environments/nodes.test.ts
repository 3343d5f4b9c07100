import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../support/folder.ts';
import { nodeOf } from './node.ts';

const MAIN = join(ROOT, 'dist', 'main.js');

/** Uses the functions that unsupported versions lack: for the document, metrics and a token. */
const PROGRAM = `
  import { startTodoService } from '${pathToFileURL(join(ROOT, 'dist', 'index.js'))}';
  const paths = ['/openapi.json', '/metrics', '/api/todos', '/'];
  const start = async () => {
    const service = await startTodoService({ env: { ADMIN_TOKEN: 'secret' } });
    const responses = await Promise.all(paths.map((path) => fetch(service.url + path)));
    await service.stop();
    return responses.map(({ status }) => status).join();
  };
  start().then(console.log, ({ message }) => console.log(message));
`;

function run(node: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(node, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('in versions of Node that are not supported, there is one line and status 2', () => {
  for (const version of ['12.22.12', '14.21.3', '18.20.8', '20.10.0', '21.7.3', '22.2.0']) {
    it(version, () => {
      const reason = `Node ${version} is not supported; use 20.20.2 or a later Node 20, or 22.3 or newer\n`;
      const node = nodeOf(version);
      assert.deepEqual(run(node, MAIN, '--port=0'), {
        status: 2,
        stdout: '',
        stderr: `todo-service: ${reason}`,
      });
      const { stdout } = run(node, '--input-type=module', '-e', PROGRAM);
      assert.equal(stdout, reason);
    });
  }
});

describe('in the oldest supported versions of Node, everything works', () => {
  for (const version of ['22.3.0', '23.0.0']) {
    it(version, () => {
      const { stdout, stderr } = run(nodeOf(version), '--input-type=module', '-e', PROGRAM);
      assert.deepEqual([stdout, stderr], ['200,200,200,200\n', '']);
    });
  }
});
