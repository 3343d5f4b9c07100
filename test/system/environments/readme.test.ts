import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { cloneOfProject } from '../../support/clone.ts';
import { listening } from '../../support/process.ts';
import { WAYS_IN } from '../../support/readme.ts';

it('the second command of README.md packs a clone, and starts the package with its page', async (test) => {
  // The service, which npx starts, ends with this test.
  const env = { ...process.env, PORT: '0', EXIT_WITH_STDIN: 'on' };
  const shell = spawn('bash', ['-e', '-c', WAYS_IN.package], { cwd: await cloneOfProject(), env });
  test.after(() => shell.kill('SIGKILL'));
  let stderr = '';
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const { port } = (await listening(shell.stdout)) ?? assert.fail(stderr);
  const headers = { Accept: 'text/html' };
  const page = await fetch(`http://127.0.0.1:${port}/`, { headers });
  assert.match(await page.text(), /<script/);
  shell.stdin.end();
  const [status] = await once(shell, 'close');
  assert.equal(status, 0);
});
