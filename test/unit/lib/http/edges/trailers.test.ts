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
  for (const field of ['Connection: close', 'Connection: keep-alive', 'Expect: 200-ok', 'X: y']) {
    it(`${field}: no effect, but the response is the last, and nothing after it is served`, async () => {
      for (const next of ['', NEXT, createRequest()]) {
        const { responses, end } = await exchangeBytes(edge.port, withTrailer(field) + next);
        assert.deepEqual(
          responses.map(({ status, headers }) => [status, headers.connection]),
          [[201, 'close']],
        );
        assert.equal(end, 'closed');
      }
      const unknown = withTrailer(field).replace('/api/notes', '/none');
      const { responses } = await edge.unchanged(() => exchangeBytes(edge.port, unknown));
      assert.deepEqual(
        responses.map(({ status, headers }) => [status, headers.connection]),
        [[404, 'close']],
      );
    });
  }
});
