import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertProblem } from '../../api/suite.ts';
import { createRequest, describeEdges, getRequest } from '../../support/edge.ts';

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
      const responses = await client.send(getRequest('/livez')).toEnd();
      assert.equal(responses.length, 1);
      assert.equal(await client.ended, 'closed');
    });

    it('a connection whose requests come in time stays', async () => {
      const client = await edge.connect();
      for (let i = 0; i < 8; i++) {
        assert.equal((await client.send(getRequest('/livez')).next())?.status, 200);
        await sleep(60);
      }
      client.destroy();
    });

    it('a response that is under way keeps its connection, however quiet it is', async () => {
      const client = await edge.connect();
      client.send(getRequest('/api/todos/events'));
      assert.equal(await Promise.race([client.ended, sleep(800, 'open')]), 'open');
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
