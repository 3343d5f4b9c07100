import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LONG, Random, SEED } from '../../../../support/random.ts';
import { statusesOf } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { describeEdges, type RawServer } from '../support/edge.ts';
import { mutated } from '../support/mutate.ts';
import { createRequest } from '../support/notes.ts';

const MUTATIONS = LONG ? 50_000 : 120;

/**
 * `node:http` does not report malformed content of a request with an Upgrade field: it takes until
 * the 408. So only the long run sends such requests.
 */
const SETTINGS = LONG
  ? { headersTimeout: 3_000, requestTimeout: 3_000, connectionsCheckingInterval: 50 }
  : {};
const isSent = (request: string) => LONG || !/upgrade/i.test(request);

/** Every status that a mutated request may get. Not 500. */
const PLANNED = [
  100, 200, 201, 204, 400, 404, 405, 406, 408, 413, 414, 415, 417, 431, 501, 503, 505,
];

function requests(id: number): readonly [string, ...string[]] {
  const update = '{"title":"changed","x":true}';
  return [
    createRequest(),
    createRequest({ body: '{"title":"with more","x":[1,{}]}' }),
    createRequest({
      fields: 'Transfer-Encoding: chunked\r\n',
      body: '3;a=b\r\n{"t\r\n11\r\nitle":"sent raw"}\r\n0\r\nX: y\r\n\r\n',
    }),
    createRequest({ body: update }).replace('POST /api/notes', `PUT /api/notes/${id}`),
    getRequest(`/api/notes/${id}`),
    getRequest('/api/notes?search=raw&x=2'),
    getRequest(`/api/notes/${id}`).replace('GET', 'DELETE'),
    getRequest('/api/notes').replace('GET', 'OPTIONS'),
  ];
}

/** Asserts that the responses are planned, and that each change of a note has a response. */
async function check(edge: RawServer, request: string): Promise<void> {
  const titles = () => new Map(edge.notes.list().map(({ id, title }) => [id, title]));
  const before = titles();
  const client = await edge.connect();
  const statuses = statusesOf(await client.send(request).finish().toEnd());
  client.destroy();
  const after = titles();
  const [old, now] = [[...before.keys()], [...after.keys()]];
  const countOf = (status: number) => statuses.filter((each) => each === status).length;
  for (const status of statuses) assert(PLANNED.includes(status), `${status}`);
  assert.equal(now.filter((id) => !before.has(id)).length, countOf(201), 'created');
  assert(old.filter((id) => !after.has(id)).length <= countOf(204), 'deleted');
  assert(
    old.filter((id) => after.has(id) && after.get(id) !== before.get(id)).length <= countOf(200),
  );
}

describeEdges(
  'requests with a few bytes changed',
  (edge) => {
    it(`${MUTATIONS} of them (seed ${SEED}): expected statuses and rows`, async () => {
      const random = new Random(SEED);
      for (let count = 1; count <= MUTATIONS; count++) {
        const ids = edge.notes.list().map(({ id }) => id);
        const request = mutated(random.pick(requests(random.pick([0, ...ids]))), random);
        if (!isSent(request)) continue;
        await check(edge, request).catch((cause) => {
          throw new Error(`number ${count}: ${JSON.stringify(request)}`, { cause });
        });
      }
    });
  },
  SETTINGS,
);
