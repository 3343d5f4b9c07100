import assert from 'node:assert/strict';
import { it } from 'node:test';
import { longResponse } from '../../../../../src/lib/http/messages/long-content.ts';
import { jsonResponse } from '../../../../../src/lib/http/messages/response.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { exchangeBytes, statusesOf, turns } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { inParts, route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';

it('a long response is sent to its end although CONNECT follows, and nothing after it is served', async (test) => {
  const parts = Array.from({ length: 20 }, () => byteString('x'.repeat(1_000_000)));
  const { port } = await serverFor(test, [
    route('GET', '/long', (request) =>
      longResponse(request, 200, { make: () => inParts(parts.values()) }),
    ),
  ]);
  const { responses, end } = await exchangeBytes(
    port,
    `${getRequest('/long')}CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n${getRequest('/long')}`,
  );
  assert.deepEqual(statusesOf(responses), [200, 501]);
  assert.equal(responses[0]?.text.length, parts.length * 1_000_000);
  assert.equal(end, 'closed');
});

it('a request behind a response that closes is not carried out', async (test) => {
  let carriedOut = 0;
  const count = () => {
    carriedOut++;
    return jsonResponse(200, byteString('{}'));
  };
  const { port } = await serverFor(test, [
    route('GET', '/last', () => ({ ...jsonResponse(200, byteString('{}')), close: true })),
    route('GET', '/late', async () => {
      await turns(5);
      return { ...jsonResponse(200, byteString('{}')), close: true };
    }),
    route('DELETE', '/count', count),
  ]);
  for (const path of ['/last', '/late']) {
    const next = getRequest('/count').replace('GET', 'DELETE');
    const { responses } = await exchangeBytes(port, getRequest(path) + next.repeat(3));
    assert.deepEqual(
      responses.map(({ status, headers }) => [status, headers.connection]),
      [[200, 'close']],
    );
  }
  assert.equal(carriedOut, 0);
});
