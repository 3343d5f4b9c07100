import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { it } from 'node:test';
import { jsonResponse } from '../../../../../src/lib/http/core/response.ts';
import { HttpServer } from '../../../../../src/lib/http/server/server.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { route } from '../../../../support/route.ts';
import { turnsUntil } from '../../../../support/within.ts';

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

it('a stop finishes requests at the second loopback address, and closes idle connections', async (test) => {
  const probe = createServer();
  const hasIPv6 = await once(probe.listen(0, '::1'), 'listening').then(
    () => true,
    () => false,
  );
  probe.close();
  if (!hasIPv6) {
    test.skip('this machine has no ::1');
    return;
  }
  let finish: (() => void) | undefined;
  const wait = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const server = new HttpServer({ onUnexpectedError: (error) => assert.fail(String(error)) });
  server.setRoutes([
    route('GET', '/', async () => {
      await wait;
      return jsonResponse(200, byteString('{}'));
    }),
  ]);
  const { port } = await server.listen(0, 'localhost');
  test.after(() => server.drain(0));
  const idle = connect({ port, host: '::1' }).resume();
  const busy = connect({ port, host: '::1' }).setEncoding('latin1');
  let received = '';
  busy.on('data', (text: string) => {
    received += text;
  });
  await once(idle, 'connect');
  busy.write(GET);
  await turnsUntil('the request arrives', () => server.lastRequestNumber > 0);
  const ends = [once(idle, 'close'), once(busy, 'close')];
  const drained = server.drain(60_000);
  finish?.();
  assert.equal(await drained, true);
  await Promise.all(ends);
  assert.match(received, /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/s);
});
