import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clientFor } from '../../support/client.ts';
import { LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { RawClient } from '../../support/raw.ts';
import { getRequest } from '../../support/raw-requests.ts';
import { happens } from '../../support/within.ts';

/** Makes the process fail outside any request on a signal. */
const FAILS_ON_SIGNAL = `data:text/javascript,${encodeURIComponent(
  "process.on('SIGUSR2', () => { throw new Error('outside any request'); });",
)}`;

it('an exception outside any request is logged; responses are sent; status 1', async (test) => {
  const service = new ServiceProcess(test, ['--port=0'], {
    NODE_OPTIONS: `--import=${FAILS_ON_SIGNAL}`,
  });
  const baseUrl = await service.baseUrl();
  const client = clientFor(test, baseUrl);
  const todo = { title: 'x', description: '😀'.repeat(1000) };
  const batch = Array.from({ length: 15 }, () => todo);
  for (let i = 0; i < 40; i++) await client.post(`${LIST}/batch`, batch);
  const reader = await RawClient.connect(Number(new URL(baseUrl).port));
  reader.send(getRequest(LIST));
  await happens(reader.socket, 'data');
  reader.socket.pause();
  service.signal('SIGUSR2');
  await service.logged('draining');
  reader.socket.resume();
  const [list] = await reader.toEnd();
  assert.equal(JSON.parse(list?.text ?? '[]').length, 600);

  const { status, stdout } = await service.exit;
  assert.equal(status, 1);
  const [line] = stdout
    .split('\n')
    .filter((each) => each.includes('uncaught exception'))
    .map((each) => JSON.parse(each));
  assert.equal(line.level, 'error');
  assert.equal(line.error, 'outside any request');
  assert.match(line.stack, /Error: outside any request\n/);
});
