import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertProblem } from '../../api/suite.ts';
import { createRequest, describeEdges, getRequest } from '../../support/edge.ts';
import { RawClient } from '../../support/raw.ts';
import { route } from '../../support/route.ts';
import { serverFor } from '../../support/server.ts';

const SETTINGS = {
  headersTimeout: 100,
  requestTimeout: 200,
  connectionsCheckingInterval: 20,
  keepAliveTimeout: 300,
};

const STALLED = [
  ['a silent socket', ''],
  ['half a request line', 'GET /li'],
  ['half a header', getRequest('/livez').slice(0, -2)],
  ['half a body', createRequest().slice(0, -2)],
  [
    'half a chunk',
    createRequest({ fields: 'Transfer-Encoding: chunked\r\n', body: '14\r\n{"title"' }),
  ],
  ['a header after a whole request', `${getRequest('/livez')}GET /li`],
] as const;

describeEdges(
  'slow clients',
  (edge) => {
    for (const [title, bytes] of STALLED) {
      it(`${title}: 408, and the connection ends`, async () => {
        await edge.unchanged(async () => {
          const client = await edge.connect();
          const response = (await client.send(bytes).toEnd()).at(-1);
          assert(response);
          assertProblem(response, 408, 'request-timeout');
          assert.equal(response.headers.connection, 'close');
          assert.equal(await client.ended, 'closed');
        });
      });
    }

    it('requests after a 408 are not processed', async () => {
      await edge.unchanged(async () => {
        const client = await edge.connect();
        const request = createRequest();
        const response = await client.send(request.slice(0, -2)).next();
        assert.equal(response?.status, 408);
        client.send(request.slice(-2));
        assert.deepEqual(await client.toEnd(), []);
      });
    });

    it('content that stalls after its response: the end, without a second response', async () => {
      const client = await edge.connect();
      client.send(createRequest().replace('/api/todos', '/none').slice(0, -2));
      assert.deepEqual(
        (await client.toEnd()).map(({ status }) => status),
        [404],
      );
    });

    it('a request that arrives in pieces, but in time, is served', async () => {
      const request = createRequest();
      const client = await edge.connect();
      await client.sendApart(request.slice(0, 20));
      await sleep(30);
      await client.sendApart(request.slice(20, -2));
      await sleep(30);
      assert.equal((await client.send(request.slice(-2)).next())?.status, 201);
      client.destroy();
    });

    it('an idle connection is closed without a response', async () => {
      const client = await edge.connect();
      const start = performance.now();
      const responses = await client.send(getRequest('/livez')).toEnd();
      assert.equal(responses.length, 1);
      assert.equal(await client.ended, 'closed');
      assert.ok(performance.now() - start >= SETTINGS.keepAliveTimeout);
    });

    it('a connection whose requests come in time stays', async () => {
      const client = await edge.connect();
      for (let i = 0; i < 8; i++) {
        assert.equal((await client.send(getRequest('/livez')).next())?.status, 200);
        await sleep(60);
      }
      client.destroy();
    });
  },
  SETTINGS,
);

describeEdges(
  'a client that does not read',
  (edge) => {
    it('is cut after a timeout', async () => {
      const { client: healthy } = edge;
      await healthy.post('/api/todos', { title: 'x', description: 'y'.repeat(900) });
      const client = await edge.connect();
      client.socket.pause();
      const requests = getRequest('/api/todos').repeat(500);
      const cut = new Promise((resolve) => client.socket.once('error', resolve));
      const flood = setInterval(() => client.send(requests), 1);
      await cut;
      clearInterval(flood);
      assert.equal((await healthy.get('/livez')).status, 200);
    });
  },
  { sendTimeout: 200, slowestReader: 1024 ** 3, connectionsCheckingInterval: 50 },
);

it('a response that takes longer than a connection may be idle is sent, and the next one', async (test) => {
  const late = route('GET', '/', async () => {
    await sleep(200);
    return { status: 200, content: Buffer.from('late') };
  });
  const settings = { keepAliveTimeout: 50, connectionsCheckingInterval: 20 };
  const { port } = await serverFor(test, [late], settings);
  const client = await RawClient.connect(port);
  for (const response of await client.send(getRequest('/').repeat(2)).take(2)) {
    assert.equal(response.text, 'late');
    assert.equal(response.headers.connection, 'keep-alive');
  }
  client.destroy();
});

it('thousands of idle connections are closed, although it takes many turns', async (test) => {
  const settings = { keepAliveTimeout: 50, connectionsCheckingInterval: 20 };
  const ok = route('GET', '/', () => ({ status: 200, content: Buffer.from('ok') }));
  const { port } = await serverFor(test, [ok], settings);
  const clients = await Promise.all(Array.from({ length: 1000 }, () => RawClient.connect(port)));
  for (const client of clients) client.send(getRequest('/'));
  const ends = await Promise.all(clients.map(({ ended }) => ended));
  assert.deepEqual(new Set(ends), new Set(['closed']));
});
