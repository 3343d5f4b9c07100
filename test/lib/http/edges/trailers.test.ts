import assert from 'node:assert/strict';
import { it } from 'node:test';
import { talk } from '../../../support/raw.ts';
import { getRequest } from '../../../support/raw-requests.ts';
import { describeEdges } from '../support/edge.ts';
import { createRequest } from '../support/notes.ts';

const NEXT = getRequest('/livez');

function withTrailer(field: string, fields = ''): string {
  const body = `14\r\n{"title":"sent raw"}\r\n0\r\n${field}\r\n\r\n`;
  return createRequest({ fields: `Transfer-Encoding: chunked\r\n${fields}`, body });
}

describeEdges(
  'trailer fields',
  (edge) => {
    const STEERING = [
      'Connection: close',
      'Proxy-Connection: close',
      'connection: x, Close',
      'Connection: close\r\nConnection: keep-alive',
      'Connection: upgrade\r\nUpgrade: h2c',
      'Expect: 200-ok',
      'Host: a/b\r\nHost: c',
    ];
    for (const field of STEERING) {
      const title = JSON.stringify(field);

      it(`${title} steers nothing: requests that come later are served`, async () => {
        for (let i = 0; i < 2; i++) {
          const response = await edge.answers(withTrailer(field));
          assert.equal(response.status, 201);
          assert.equal(response.headers.connection, 'keep-alive');
        }
      });

      it(`${title} steers nothing: those behind it in the segment are served in order`, async () => {
        const client = await edge.connect();
        const bad = withTrailer(field);
        const responses = await client.send(bad + NEXT + bad + bad + NEXT).take(5);
        const statuses = responses.map(({ status }) => status);
        assert.deepEqual(statuses, [201, 200, 201, 201, 200]);
        assert.equal((await client.send(NEXT).next())?.status, 200);
        client.destroy();
      });

      it(`${title} steers nothing: split at any byte, what follows is served`, async () => {
        const bytes = withTrailer(field) + NEXT;
        for (let cut = bytes.indexOf('0\r\n'); cut < bytes.length; cut += 5) {
          const client = await edge.connect();
          await client.sendApart(bytes.slice(0, cut), bytes.slice(cut));
          const statuses = (await client.take(2)).map(({ status }) => status);
          assert.deepEqual(
            statuses,
            [201, 200],
            `cut after ${JSON.stringify(bytes.slice(0, cut))}`,
          );
          client.destroy();
        }
      });
    }

    it('a header field that closes still does, with a trailer field that would', async () => {
      for (const trailer of ['Connection: close', 'X: y']) {
        const bytes = withTrailer(trailer, 'Connection: close\r\n') + createRequest();
        const { responses, end } = await talk(edge.port, bytes);
        assert.deepEqual(
          responses.map(({ status, headers }) => [status, headers.connection]),
          [[201, 'close']],
        );
        assert.equal(end, 'closed');
      }
    });

    it('what is no request behind one gets 400, and nothing changes', async () => {
      const client = await edge.connect();
      await client.send(withTrailer('Connection: close')).next();
      await edge.unchanged(async () => {
        const responses = await client.send(`A ${createRequest()}`).toEnd();
        assert.deepEqual(
          responses.map(({ status }) => status),
          [400],
        );
      });
    });

    it('the end of the client behind one is an end', async () => {
      const { responses, end } = await talk(edge.port, '');
      assert.deepEqual([responses.length, end], [1, 'closed']);
      const client = await edge.connect();
      const served = await client.send(withTrailer('Connection: close')).finish().toEnd();
      assert.deepEqual(
        served.map(({ status }) => status),
        [201],
      );
    });

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
  },
  { headersTimeout: 500, connectionsCheckingInterval: 20 },
);
