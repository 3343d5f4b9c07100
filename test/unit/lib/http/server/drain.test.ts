import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clock } from '../../../../../src/lib/clock.ts';
import { longResponse } from '../../../../../src/lib/http/messages/long-content.ts';
import type { Route } from '../../../../../src/lib/http/messages/request.ts';
import { type ContentParts, valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import {
  JSON_MEDIA_TYPES,
  jsonObjectOf,
} from '../../../../../src/lib/http/request/json-content.ts';
import { DEFAULT_SETTINGS } from '../../../../../src/lib/http/server/http-settings.ts';
import type { HttpServer } from '../../../../../src/lib/http/server/server.ts';
import { type ByteString, byteString } from '../../../../../src/lib/json/byte-string.ts';
import { ManualClock, ManualTimers } from '../../../../support/clock.ts';
import { LONG } from '../../../../support/random.ts';
import { RawClient, type RawResponse, statusesOf, turns } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { inParts, route } from '../../../../support/route.ts';
import { startServer } from '../../../../support/server.ts';
import { turnsUntil, within } from '../../../../support/within.ts';
import { createRequest } from '../support/notes.ts';

const STOPS = LONG ? 100 : 2;
const PIPELINED = 10;
const CHUNKS = 40;

/** All timeouts are this long, so that a test that waits for one does not end. */
const TIMEOUT_MS = 600_000;
const SETTINGS = {
  headersTimeout: TIMEOUT_MS,
  requestTimeout: TIMEOUT_MS,
  lingerTimeout: TIMEOUT_MS,
  stopArrivalTimeout: 250,
  stopSilenceTimeout: 100,
};

/** A server that waits for no arrivals. */
const AT_ONCE = { requestTimeout: TIMEOUT_MS, stopArrivalTimeout: 0 };

const OK = route('GET', '/', () => valueResponse(200, 'x'));

/** Stops a server. The wait ends, even if the server does not. */
function stopOf(server: HttpServer): Promise<boolean> {
  return within('the end of the stop', server.drain(TIMEOUT_MS), 10_000);
}

const CHUNK = byteString('x'.repeat(20_000));

function repeated(count: number): ContentParts {
  return inParts(Array<ByteString>(count).fill(CHUNK).values());
}

/** The results of one stop, for all clients and for the server. */
class Load {
  /** The tokens of the items that were stored, and of the items acknowledged with 201. */
  readonly stored = new Set<string>();
  readonly answered = new Set<string>();
  /** The number of clients that have sent a part of a request. */
  stalled = 0;
  readonly #halfSent: string[] = [];
  readonly #clients: RawClient[] = [];

  /** Stores an item; returns a long list. */
  get routes(): readonly Route[] {
    return [
      route(
        'POST',
        '/api/notes',
        (request) => {
          const { title } = jsonObjectOf(request);
          this.stored.add(String(title));
          return valueResponse(201, { title });
        },
        { content: { mediaTypes: JSON_MEDIA_TYPES } },
      ),
      route('GET', '/long', (request) =>
        longResponse(request, 200, { make: () => repeated(CHUNKS) }),
      ),
      route('GET', '/longer-than-any-buffer', (request) =>
        longResponse(request, 200, { make: () => repeated(400) }),
      ),
    ];
  }

  /** Creates items, some of them pipelined, until the server ends the connection. */
  async create(port: number, atOnce: number): Promise<void> {
    const client = await this.#connect(port);
    for (let last = false; !last; ) {
      client.send(Array.from({ length: atOnce }, () => createItem()).join(''));
      const responses = await client.take(atOnce);
      for (const response of responses) this.#note(response);
      last = responses.length < atOnce || responses.at(-1)?.headers.connection === 'close';
    }
  }

  /** Requests long responses until the server ends the connection: none may be cut. */
  async list(port: number): Promise<void> {
    const client = await this.#connect(port);
    for (let last = false; !last; ) {
      const response = await client.send(getRequest('/long')).next();
      if (response !== undefined) assert.equal(response.text.length, CHUNKS * CHUNK.length);
      last = response === undefined || response.headers.connection === 'close';
    }
  }

  /** Sends part of a create request, or nothing at all, and waits for the end. */
  async stall(port: number, part: number): Promise<void> {
    const request = createItem();
    this.#halfSent.push(tokenOf(request));
    const client = await this.#connect(port);
    const sent = request.slice(0, part * request.length);
    client.send(sent);
    this.stalled++;
    const statuses = statusesOf(await client.toEnd());
    assert.deepEqual(statuses, sent.includes('\r\n\r\n') ? [408] : []);
  }

  check(): void {
    assert.deepEqual([...this.stored].sort(), [...this.answered].sort());
    for (const token of this.#halfSent) assert(!this.stored.has(token));
    for (const client of this.#clients) client.destroy();
  }

  async #connect(port: number): Promise<RawClient> {
    const client = await RawClient.connect(port);
    this.#clients.push(client);
    return client;
  }

  #note(response: RawResponse): void {
    assert.equal(response.status, 201, response.text);
    this.answered.add(JSON.parse(response.text).title);
  }
}

function createItem(fields = ''): string {
  const body = JSON.stringify({ title: crypto.randomUUID() });
  return createRequest({ body, fields: `${fields}Content-Length: ${body.length}\r\n` });
}

const EXPECT = 'Expect: 100-continue\r\n';

/** The header section of a request. */
function headOf(request: string): string {
  return request.slice(0, request.indexOf('\r\n\r\n') + 4);
}

function tokenOf(request: string): string {
  return JSON.parse(request.slice(request.indexOf('{'))).title;
}

describe('a server that stops under load', () => {
  it(`${STOPS} times: acknowledges all it stored, and waits for no timeout`, async (test) => {
    let stored = 0;
    for (let stop = 0; stop < STOPS; stop++) {
      const load = new Load();
      const { server, port } = await startServer(load.routes, SETTINGS);
      const clients = [
        ...Array.from({ length: 8 }, () => load.create(port, 1)),
        ...Array.from({ length: 4 }, () => load.create(port, PIPELINED)),
        ...Array.from({ length: 2 }, () => load.list(port)),
        ...Array.from({ length: 8 }, (_, i) => load.stall(port, i / 8)),
      ];
      // On a busy machine, the server accepts connections long after their clients have sent.
      const isAccepted = () => server.openConnections === clients.length;
      const isLoaded = () => load.answered.size >= 100 && load.stalled === 8 && isAccepted();
      await turnsUntil('there is load', isLoaded);
      await turns((7 * stop) % 20);
      assert.equal(await stopOf(server), true, 'the server stops in time');
      await Promise.all(clients);
      load.check();
      stored += load.stored.size;
    }
    test.diagnostic(`${stored} items stored, all acknowledged`);
  });

  it('responds to all clients that could connect, even on new connections', async (test) => {
    // However slow this machine is: it listens until no more clients come.
    test.mock.method(clock, 'now', () => 0);
    const { server, port } = await startServer([OK], SETTINGS);
    let answered = 0;
    const work = async () => {
      for (;;) {
        const client = await RawClient.connect(port).catch(() => undefined);
        if (client === undefined) return;
        const response = await client.send(getRequest('/')).next();
        client.destroy();
        assert.equal(response?.status, 200, 'a connection was reset');
        answered++;
      }
    };
    const clients = Promise.all(Array.from({ length: 50 }, work));
    await turnsUntil('each client has a response', () => answered >= 50);
    assert.equal(await stopOf(server), true);
    await clients;
  });

  it('responds to requests on connections that were idle, silent, or half-way through one', async (test) => {
    const timers = new ManualTimers(test, (ms) => ms === SETTINGS.stopArrivalTimeout);
    const { server, port } = await startServer([OK], SETTINGS);
    const idle = await RawClient.connect(port);
    assert.equal((await idle.send(getRequest('/')).next())?.headers.connection, 'keep-alive');
    const half = await RawClient.connect(port);
    await half.sendApart('GET / HTTP/1.1\r\n');
    const fresh = await RawClient.connect(port);
    const drained = stopOf(server);
    // The clients have not been told of the stop.
    await turns(20);
    const clients = [
      idle.send(getRequest('/')),
      half.send('Host: x\r\n\r\n'),
      fresh.send(getRequest('/')),
    ];
    await turns(20);
    await timers.end();
    for (const client of clients) {
      assert.equal((await client.next())?.headers.connection, 'close');
    }
    assert.equal(await drained, true);
  });

  it('waits for content as long as it arrives, also after a 100', async (test) => {
    const time = new ManualClock(test);
    const { server, port } = await startServer(new Load().routes, AT_ONCE);
    const requests = [createItem(), createItem(EXPECT)];
    const clients = await Promise.all(requests.map(() => RawClient.connect(port)));
    for (const [i, client] of clients.entries()) client.send(headOf(requests[i] ?? ''));
    await turns(20);
    const drained = stopOf(server);
    let isOver = false;
    void drained.then(() => {
      isOver = true;
    });
    const contents = requests.map((request) => request.slice(headOf(request).length));
    for (let at = 0; at < 16; at++) {
      for (const [i, client] of clients.entries()) client.send(contents[i]?.[at] ?? '');
      await turns(20);
      await time.advance(DEFAULT_SETTINGS.stopSilenceTimeout / 2);
    }
    assert.equal(isOver, false);
    for (const [i, client] of clients.entries()) client.send(contents[i]?.slice(16) ?? '');
    const seen = await Promise.all(clients.map((client) => client.toEnd()));
    const statuses = seen.map((responses) => statusesOf(responses));
    assert.deepEqual(statuses, [[201], [100, 201]]);
    assert.equal(await drained, true);
  });

  it('refuses a request whose content stalls with 408 after a second, and is in time', async (test) => {
    const time = new ManualClock(test);
    const { server, port } = await startServer(new Load().routes, AT_ONCE);
    const client = await RawClient.connect(port);
    await client.sendApart(createItem().slice(0, -10));
    await time.advance(5_000);
    const drained = stopOf(server);
    await turns(20);
    for (const piece of ['', '"', '']) {
      assert.equal(
        client.hasEnded,
        false,
        'it waits for a second after the stop and the last byte',
      );
      await client.sendApart(piece);
      for (let i = 0; i < 10; i++) await time.advance(100);
    }
    await time.advance(100);
    assert(client.hasEnded);
    const [response, ...more] = await client.toEnd();
    assert.equal(response?.status, 408);
    const { detail } = JSON.parse(response.text);
    const expected =
      'The content (39 of 48 bytes so far) did not arrive in time; send the request again';
    assert.deepEqual([detail, more, await drained], [expected, [], true]);
  });

  it('cuts the rest at its deadline, and reports that', async (test) => {
    const deadline = new ManualTimers(test, (ms) => ms > TIMEOUT_MS / 2);
    const { server, port } = await startServer(new Load().routes, AT_ONCE);
    const client = await RawClient.connect(port);
    client.socket.pause();
    client.send(getRequest('/longer-than-any-buffer'));
    await turns(50);
    const drained = stopOf(server);
    await turns(50);
    await deadline.end();
    assert.equal(await drained, false);
    client.socket.resume();
    assert.equal((await client.toEnd()).length, 0, 'it is sent no more of the response');
  });

  it('is in time for a client that has its response, and keeps its connection open', async (test) => {
    const deadline = new ManualTimers(test, (ms) => ms > TIMEOUT_MS / 2);
    const { server, port } = await startServer([OK], AT_ONCE);
    const client = await RawClient.connect(port);
    client.socket.allowHalfOpen = true;
    assert.equal((await client.send(getRequest('/')).next())?.status, 200);
    const drained = stopOf(server);
    await turns(50);
    await deadline.end();
    assert.equal(await drained, true);
    client.destroy();
  });

  it('responds to a request whose bytes have just arrived, although it waits for no arrivals', async () => {
    const { server, port } = await startServer([OK], AT_ONCE);
    const client = await RawClient.connect(port);
    await client.send(getRequest('/')).next();
    client.send(getRequest('/'));
    assert.equal(await stopOf(server), true);
    assert.deepEqual(statusesOf(await client.toEnd()), [200]);
  });

  it('waits for nothing without connections', async () => {
    const { server } = await startServer([], { stopArrivalTimeout: 0 });
    const drained = stopOf(server);
    assert.equal(await Promise.race([drained, turns(10).then(() => 'late')]), true);
  });

  it('waits for a client that has not yet read a response already written', async () => {
    const { server, port } = await startServer(new Load().routes, SETTINGS);
    const client = await RawClient.connect(port);
    client.socket.pause();
    client.send(getRequest('/long'));
    await turns(50);
    let isRead = false;
    const stopped = stopOf(server).then((inTime) => ({ inTime, isRead }));
    await turns(50);
    isRead = true;
    client.socket.resume();
    const response = await client.next();
    assert.equal(response?.text.length, CHUNKS * CHUNK.length);
    assert.equal(response.headers.connection, 'keep-alive', 'it was begun before the stop');
    assert.equal((await client.send(createItem()).next())?.headers.connection, 'close');
    assert.deepEqual(await stopped, { inTime: true, isRead: true });
  });
});
