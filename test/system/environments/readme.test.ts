import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cloneOfProject } from '../../support/clone.ts';
import { ROOT } from '../../support/folder.ts';
import { listening } from '../../support/process.ts';
import { WAYS_IN } from '../../support/readme.ts';
import { environmentWith } from './node.ts';

/** The version of the images. */
const [, NEWEST = ''] =
  /^ARG NODE_IMAGE=node:([\d.]+)/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) ?? [];

// `.ci/run` types the command for the tests, in both versions.
describe('in a new clone, README.md has commands that start the service with its page', () => {
  for (const [command, versions] of [
    [WAYS_IN.start, ['20.20.2', NEWEST]],
    [WAYS_IN.package, [NEWEST]],
  ] as const) {
    for (const version of versions) {
      it(`${command}, Node ${version}`, async (test) => {
        // The service ends with this test.
        const env = { ...environmentWith(version), PORT: '0', EXIT_WITH_STDIN: 'on' };
        const shell = spawn('bash', ['-e', '-c', command], { cwd: await cloneOfProject(), env });
        test.after(() => shell.kill('SIGKILL'));
        let stderr = '';
        shell.stderr.setEncoding('utf8').on('data', (text: string) => {
          stderr += text;
        });
        const line = (await listening(shell.stdout)) ?? assert.fail(stderr);
        const headers = { Accept: 'text/html' };
        const page = await fetch(`http://127.0.0.1:${line.port}/`, { headers });
        assert.match(await page.text(), /<script/);
        shell.stdin.end();
        const [status] = await once(shell, 'close');
        assert.equal(status, 0);
      });
    }
  }
});
