import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { UNCOUNTED } from '../../support/process.ts';

const INDEX = fileURLToPath(new URL('../../../dist/index.js', import.meta.url));

/** As a test environment might have them: useless, and without Node's methods. */
const REPLACE = `
  const nothing = () => 1;
  for (const set of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']) {
    globalThis[set] = nothing;
  }
  Date.now = () => 0;
  Object.defineProperty(globalThis, 'performance', { value: { now: () => 0 } });`;

const LOAD = `const { startTodoService } = require(${JSON.stringify(INDEX)});`;

const USE = `
  const { request } = require('node:http');
  async function use() {
    const service = await startTodoService({ variant: 'b', env: { ACCESS_LOG: 'on' } });
    const headers = { 'Content-Type': 'application/json' };
    const sent = request(service.url + '/api/todos', { method: 'POST', headers, agent: false });
    sent.end('{"title":"x"}');
    const answer = await new Promise((resolve) => sent.once('response', resolve));
    let text = '';
    for await (const chunk of answer) text += chunk;
    await service.stop();
    process.stdout.write(answer.statusCode + ' ' + text);
  }
  use();`;

it('the package works if the global timers are replaced after it was loaded', async () => {
  const env = { ...process.env, ...UNCOUNTED };
  const script = LOAD + REPLACE + USE;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env });
  assert.match(stdout, /^201 \{"id":1,.*"createdAt":"20\d\d-/);
});
