import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exchangeBytes } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { describeEdges } from '../support/edge.ts';
import { createRequest } from '../support/notes.ts';

const NEXT = getRequest('/livez');

function withTrailer(field: string, fields = ''): string {
  const body = `14\r\n{"title":"sent raw"}\r\n0\r\n${field}\r\n\r\n`;
  return createRequest({ fields: `Transfer-Encoding: chunked\r\n${fields}`, body });
}

describeEdges('trailer fields', (edge) => {
  const STEERING = [
    'Connection: close',
    'Proxy-Connection: close',
    'connection: x, Close',
    'Connection: keep-alive',
    'Connection: upgrade\r\nUpgrade: h2c',
    // The parser passes on at most 32 fields at a time. Node 26 refuses more than 100.
    `${'x: y\r\n'.repeat(60)}Connection: close`,
  ];
  for (const field of STEERING) {
    const title = JSON.stringify(field.slice(-40));

    it(`${title}: the response says that it is the last, and nothing after it is served`, async () => {
      for (const path of ['/api/notes', '/none']) {
        const bytes = withTrailer(field).replace('/api/notes', path);
        for (const next of ['', NEXT, createRequest()]) {
          const before = edge.notes.state;
          const { responses, end } = await exchangeBytes(edge.port, bytes + next);
          assert.deepEqual(
            responses.map(({ status, headers }) => [status, headers.connection]),
            [[path === '/none' ? 404 : 201, 'close']],
          );
          assert.equal(end, 'closed');
          if (path === '/none') assert.deepEqual(edge.notes.state, before);
        }
      }
    });
  }

  for (const field of ['Expect: 200-ok', 'Host: a/b\r\nHost: c', 'X: y']) {
    it(`${JSON.stringify(field)}: no effect, and the connection persists`, async () => {
      const response = await edge.answers(withTrailer(field));
      assert.deepEqual([response.status, response.headers.connection], [201, 'keep-alive']);
    });
  }

  for (const field of [
    'Content-Length: 3',
    'content-length: 20',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: identity',
  ]) {
    it(`${field}: 400`, async () => {
      await edge.refuses(withTrailer(field), 400, 'malformed-request');
    });
  }
});
