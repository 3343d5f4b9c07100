import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { RawClient, type RawResponse } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { describeEdges, type RawServer } from '../support/edge.ts';
import { createRequest } from '../support/notes.ts';

/** How many connections are open at a time. */
const AT_ONCE = 40;

const BODY = '{"title":"sent räw"}';
const UTF8_BODY = Buffer.from(BODY).toString('latin1');

const REQUESTS = {
  'GET of an item': getRequest('/api/notes/1', 'Accept: application/json\r\n'),
  'GET of an item that is not there': getRequest('/api/notes/999999'),
  HEAD: getRequest('/api/notes/1').replace('GET', 'HEAD'),
  'GET with a body': `${getRequest('/api/notes/1', 'Content-Length: 3\r\n')}abc`,
  search: getRequest('/api/notes?search=kept'),
  POST: createRequest({
    fields: `Content-Length: ${UTF8_BODY.length}\r\n`,
    body: UTF8_BODY,
  }),
  'POST in chunks': createRequest({
    fields: 'Transfer-Encoding: chunked\r\n',
    body: '3;a=b\r\n{"t\r\n11\r\nitle":"sent raw"}\r\n0\r\nX: y\r\n\r\n',
  }),
  'POST that breaks a rule': createRequest({ body: '{"title":""}' }),
  'POST to no path': createRequest().replace('/api/notes', '/none'),
  PUT: createRequest({ body: '{"title":"kept"}' }).replace('POST /api/notes', 'PUT /api/notes/1'),
  DELETE: getRequest('/api/notes/999999').replace('GET', 'DELETE'),
  OPTIONS: getRequest('/api/notes').replace('GET', 'OPTIONS'),
  TRACE: getRequest('/api/notes').replace('GET', 'TRACE'),
  'three at once': getRequest('/livez') + getRequest('/api/notes/1') + getRequest('/readyz'),
};

describeEdges('a request that arrives in two pieces', (edge) => {
  before(() => edge.notes.create('kept'));

  for (const [title, request] of Object.entries(REQUESTS)) {
    it(`${title}: wherever it is split, the response is the same`, async () => {
      const whole = await answers(edge, request, '');
      assert(whole.length > 0);
      const next = cutsOf(request).values();
      const worker = async () => {
        for (const cut of next) {
          assert.deepEqual(
            await answers(edge, request.slice(0, cut), request.slice(cut)),
            whole,
            `split after ${JSON.stringify(request.slice(0, cut))}`,
          );
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
    });
  }
});

/** Where to split a request: around all that is neither letter nor digit, and in some words. */
function cutsOf(request: string): readonly number[] {
  const all = Array.from({ length: request.length - 1 }, (_, i) => i + 1);
  return all.filter((i) => /[^a-z0-9]/i.test(request.slice(i - 1, i + 1)) || i % 8 === 0);
}

async function answers(edge: RawServer, first: string, second: string): Promise<RawResponse[]> {
  const client = await RawClient.connect(edge.port);
  const isHead = (first + second).startsWith('HEAD');
  await client.sendApart(first);
  if (second !== '') client.send(second);
  client.finish();
  const responses: RawResponse[] = [];
  for (;;) {
    const response = await client.next(!isHead);
    if (response === undefined) return responses;
    responses.push(withoutWhatDiffers(response));
  }
}

/** Masks times, and what differs for each created item. */
function withoutWhatDiffers({ status, headers, text }: RawResponse): RawResponse {
  const { date, location, etag = '', 'content-length': length = '', ...rest } = headers;
  const same = status === 201 ? rest : { ...rest, etag, length };
  return {
    status,
    headers: same,
    text: text.replace(/"id":\d+/, '"id":0'),
  };
}
