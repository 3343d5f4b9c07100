import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem } from '../../../../api/suite.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { describeEdges } from '../support/edge.ts';
import { createRequest } from '../support/notes.ts';

/**
 * `node:http` has its own clock. A client that sends at once must be in
 * time even where everything takes ten times as long.
 */
const SETTINGS = { headersTimeout: 1_000, requestTimeout: 2_000, connectionsCheckingInterval: 20 };

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
      client.send(createRequest().replace('/api/notes', '/none').slice(0, -2));
      assert.deepEqual(
        (await client.toEnd()).map(({ status }) => status),
        [404],
      );
    });
  },
  SETTINGS,
);
