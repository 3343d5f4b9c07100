import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { UNCOUNTED } from '../../support/process.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SRC = join(ROOT, 'src');

/** The library of tables, which stands by itself, has a default; the service gives it its clock. */
const OF_ITS_OWN = ['lib/table/query/pace.ts'];

/** The page's own code runs in browsers. */
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && file !== 'lib/clock.ts' && !file.startsWith('web-page/client/'),
);

/** Times and timers that do not come from the clock. */
const DIRECT =
  /(?<![.\w])(?:(?:set|clear)(?:Timeout|Interval|Immediate)|queueMicrotask)\b|\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bprocess\.(?:nextTick|hrtime)\b|\bAbortSignal\.timeout\b|node:timers/;

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g;

describe('the clock', () => {
  it('is where all of src/ has its times and timers from', () => {
    assert(FILES.includes('lib/http/server/connection/scheduler.ts'));
    const direct = FILES.filter((file) =>
      DIRECT.test(readFileSync(join(SRC, file), 'utf8').replaceAll(COMMENT, '')),
    );
    assert.deepEqual(direct, OF_ITS_OWN);
  });

  /** As a test environment might have them: useless, and without Node's methods. */
  const REPLACE = `
    const nothing = () => 1;
    for (const set of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']) {
      globalThis[set] = nothing;
    }
    Date.now = () => 0;
    Object.defineProperty(globalThis, 'performance', { value: { now: () => 0 } });`;

  const LOAD = `const { startTodoService } = require(${JSON.stringify(join(ROOT, 'dist/index.js'))});`;

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

  for (const [when, script] of [
    ['after it was loaded', LOAD + REPLACE + USE],
    ['before it was loaded', REPLACE + LOAD + USE],
  ] as const) {
    it(`goes on if the global timers are replaced ${when}`, async () => {
      const env = { ...process.env, ...UNCOUNTED };
      const { stdout } = await run(process.execPath, ['-e', script], { env });
      assert.match(stdout, /^201 \{"id":1,.*"createdAt":"20\d\d-/);
    });
  }
});
