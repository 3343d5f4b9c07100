import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';
import { ROOT } from '../../support/folder.ts';
import { EVENTS, LIST } from '../../support/paths.ts';
import { listening, UNCOUNTED } from '../../support/process.ts';
import { missing } from '../../support/programs.ts';
import { rawClientFor } from '../../support/raw.ts';
import { getRequest } from '../../support/raw-requests.ts';

it('metrics, probes and log work without a free descriptor', {
  skip: missing('sh'),
}, async (test) => {
  const command = 'ulimit -n 60 && exec "$0" dist/main.js --port=0 --access-log=on';
  const child = spawn('sh', ['-c', command, process.execPath], {
    cwd: ROOT,
    env: { ...process.env, ...UNCOUNTED, HOST: '127.0.0.1' },
  });
  test.after(() => child.kill('SIGKILL'));
  const { port } = (await listening(child.stdout)) ?? assert.fail('it has not listened');
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const client = await rawClientFor(test, port);
  const get = async (path: string) => {
    const response = await client.send(getRequest(path)).next();
    return response ?? assert.fail(`no response to ${path}`);
  };
  await get('/livez');

  const streams = Array.from({ length: 90 }, () => connect(port, '127.0.0.1'));
  test.after(() => streams.forEach((each) => void each.destroy()));
  const isServed = await Promise.all(
    streams.map(
      (each) =>
        new Promise<boolean>((resolve) => {
          each.once('data', () => resolve(true)).once('close', () => resolve(false));
          each.on('error', () => {}).write(getRequest(EVENTS));
        }),
    ),
  );
  const served = isServed.filter((each) => each).length;
  assert(served > 10 && served < 60, `${served}`);

  const { status, text } = await get('/metrics');
  assert.equal(status, 200);
  assert.match(text, new RegExp(`^todo_event_streams ${served}$`, 'm'));
  assert.match(text, new RegExp(`^todo_open_connections ${served + 1}$`, 'm'));
  assert.match(text, /^v8js_memory_heap_used_bytes \d+$/m);
  assert.doesNotMatch(text, /process_resident_memory_bytes/);
  for (const path of ['/livez', '/readyz', '/', '/openapi.json', LIST]) {
    assert.equal((await get(path)).status, 200, path);
  }
  child.kill('SIGTERM');
  await once(child, 'close');
  assert.match(log, /"target":"\/readyz"/);
  assert.doesNotMatch(log, /"level":"error"/);
});
