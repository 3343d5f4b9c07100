import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  type AddressInfo,
  connect,
  createServer,
  type ListenOptions,
  Server,
  type Socket,
} from 'node:net';
import { networkInterfaces } from 'node:os';
import { it } from 'node:test';
import { jsonResponse } from '../../../../../src/lib/http/messages/response.ts';
import { HttpServer } from '../../../../../src/lib/http/server/server.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { turns } from '../../../../support/raw.ts';
import { route } from '../../../../support/route.ts';
import { serveRoutes } from '../../../../support/server.ts';
import { happens, turnsUntil, within } from '../../../../support/within.ts';

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1');
const skip = hasIPv6 ? false : 'this machine has no ::1';

it('a stop finishes requests at the second loopback address, and closes idle connections', {
  skip,
}, async (test) => {
  let hasArrived = false;
  let finish: (() => void) | undefined;
  const wait = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const server = new HttpServer({ onUnexpectedError: (error) => assert.fail(String(error)) });
  serveRoutes(server, [
    route('GET', '/', async () => {
      hasArrived = true;
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
  await happens(idle, 'connect');
  // A client that closes its side is still answered.
  busy.end(GET);
  await turnsUntil('the request arrives', () => hasArrived);
  await turns(20);
  const ends = [happens(idle, 'close'), happens(busy, 'close')];
  const drained = server.drain(60_000);
  finish?.();
  assert.equal(await within('the stop', drained), true);
  await Promise.all(ends);
  assert.match(received, /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/s);
});

it('another port is tried if a program takes the port at the other address meanwhile', {
  skip,
}, async (test) => {
  const rival = createServer();
  test.after(() => rival.close());
  const { listen } = Server.prototype;
  test.mock.method(Server.prototype, 'listen', function (this: Server, options: ListenOptions) {
    if (options.host !== '127.0.0.1' || rival.listening) return listen.call(this, options);
    listen.call(rival, options, () => listen.call(this, options));
    return this;
  });
  const server = new HttpServer({ onUnexpectedError: (error) => assert.fail(String(error)) });
  const { port } = await server.listen(0, 'localhost');
  test.after(() => server.drain(0));
  assert.notEqual(port, (rival.address() as AddressInfo).port);
});

it('at most as many connections as set are open, at both addresses together; others get 503', {
  skip,
}, async (test) => {
  const time = new ManualClock(test);
  const server = new HttpServer({
    settings: { maxConnections: 3 },
    onUnexpectedError: (error) => assert.fail(String(error)),
  });
  serveRoutes(server, [route('GET', '/', () => jsonResponse(200, byteString('{}')))]);
  const { port } = await server.listen(0, 'localhost');
  test.after(() => server.drain(0));
  const open = async (host: string): Promise<Socket | undefined> => {
    const socket = connect({ port, host });
    test.after(() => socket.destroy());
    socket.write(GET);
    const [data] = await within('a response', once(socket, 'data'));
    const status = String(data).slice(9, 12);
    assert(status === '200' || status === '503', String(data));
    return status === '200' ? socket : undefined;
  };
  const opened: (Socket | undefined)[] = [];
  for (const host of ['::1', '127.0.0.1', '::1', '127.0.0.1', '::1']) opened.push(await open(host));
  assert.deepEqual(
    opened.map((socket) => socket !== undefined),
    [true, true, true, false, false],
  );
  assert.equal(server.refusals.count('connections'), 2);
  opened[0]?.destroy();
  await turns(20);
  assert(await open('127.0.0.1'), 'a closed connection makes room for another one');
  assert.equal(await open('127.0.0.1'), undefined);
  await time.advance(3_000);
  // All but one begin a request just before the newcomer comes.
  const others = [opened[1], opened[2]];
  for (const socket of others) socket?.write(GET.slice(0, 9));
  await turns(20);
  assert(await open('127.0.0.1'), 'one that is silent for a second makes room for another one');
  assert.equal(server.cuts.count('idle'), 1);
  for (const socket of others) {
    assert(socket !== undefined);
    socket.write(GET.slice(9));
    const [data] = await within('a response to what it began', once(socket, 'data'));
    assert.match(String(data), /^HTTP\/1\.1 200 /);
  }
});
