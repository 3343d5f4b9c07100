import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem } from '../../../../support/assertions.ts';
import { exchangeBytes, statusesOf } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { describeEdges } from '../support/edge.ts';
import { createRequest } from '../support/notes.ts';

const BODY = '{"title":"sent raw"}';

describeEdges('content', (edge) => {
  it('GET with content: the content is read and ignored', async () => {
    const answer = await edge.answers(`${getRequest('/livez', 'Content-Length: 3\r\n')}abc`);
    assert.equal(answer.status, 200);
    const chunked = `${getRequest('/livez', 'Transfer-Encoding: chunked\r\n')}3\r\nabc\r\n0\r\n\r\n`;
    assert.equal((await edge.answers(chunked)).status, 200);
    const options = chunked.replace('GET', 'OPTIONS');
    assert.equal((await edge.answers(options)).status, 204);
  });

  it('chunked content with extensions is read', async () => {
    const fields = 'Transfer-Encoding: Chunked\r\n';
    const body = '3;a=b\r\n{"t\r\n11\r\nitle":"sent raw"}\r\n0\r\n\r\n';
    const answer = await edge.answers(createRequest({ fields, body }));
    assert.equal(answer.status, 201, answer.text);
  });

  it('64 KiB of content are accepted, by length or in chunks, one byte more is not', async () => {
    const body = `{"title":"sent raw","x":"${'x'.repeat(65_536 - 27)}"}`;
    assert.equal(body.length, 65_536);
    assert.equal((await edge.answers(createRequest({ body }))).status, 201);
    const chunked = (text: string) =>
      createRequest({
        fields: 'Transfer-Encoding: chunked\r\n',
        body: `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
      });
    assert.equal((await edge.answers(chunked(body))).status, 201);
    await edge.refuses(chunked(`${body} `), 413, 'content-too-large');
  });

  it('Expect: 100-continue: a 100, then the response', async () => {
    const client = await edge.connect();
    client.send(
      createRequest({ fields: 'Expect: 100-Continue\r\nContent-Length: 20\r\n', body: '' }),
    );
    const interim = await client.next();
    assert.equal(interim?.status, 100);
    const final = await client.send(BODY).next();
    assert.equal(final?.status, 201);
    client.destroy();
  });

  it('Expect from HTTP/1.0 is ignored', async () => {
    for (const expectation of ['100-continue', 'x']) {
      const fields = `Expect: ${expectation}\r\nContent-Length: 20\r\n`;
      const request = createRequest({ fields }).replace('HTTP/1.1', 'HTTP/1.0');
      const { responses } = await exchangeBytes(edge.port, request);
      assert.deepEqual(statusesOf(responses), [201]);
    }
  });

  for (const [title, bytes, where] of [
    ['with a length', createRequest().slice(0, -1), ', after 19 of 20 bytes of content'],
    [
      'in chunks',
      createRequest({ fields: 'Transfer-Encoding: chunked\r\n', body: `14\r\n${BODY}\r\n` }),
      ', after 20 bytes of content',
    ],
    [
      'with an offer of an upgrade',
      createRequest().replace('Host', 'Connection: Upgrade\r\nUpgrade: h2c\r\nHost').slice(0, -1),
      ', after 19 of 20 bytes of content',
    ],
    [
      'to DELETE',
      'DELETE /api/notes/1 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nab',
      ', after 2 of 3 bytes of content',
    ],
    ['not even begun', 'GET /livez HT', ''],
  ] as const) {
    it(`an end in the middle, ${title}: 400, and nothing changes`, async () => {
      await edge.unchanged(async () => {
        const client = await edge.connect();
        const [response] = await client.send(bytes).finish().toEnd();
        assert(response);
        assertProblem(response, 400, 'malformed-request');
        const { detail } = JSON.parse(response.text);
        assert.equal(detail, `The connection ended within the request${where}`);
        assert.equal(response.headers.connection, 'close');
        assert.equal(await client.ended, 'closed');
      });
    });
  }

  for (const method of ['POST', 'PUT', 'DELETE']) {
    it(`an interrupted ${method}: nothing changes`, async () => {
      await edge.unchanged(async () => {
        const path = method === 'POST' ? '/api/notes' : '/api/notes/1';
        const head = createRequest().slice(0, -5).replace('POST /api/notes', `${method} ${path}`);
        for (const leave of ['destroy', 'reset'] as const) {
          const client = await edge.connect();
          await client.sendApart(head);
          client[leave]();
        }
      });
    });
  }

  it('extra bytes after the content: the create succeeds, then the connection ends', async () => {
    for (const fields of ['', 'Connection: close\r\n']) {
      const request = createRequest({ fields: `${fields}Content-Length: 20\r\n` });
      const { responses, end } = await exchangeBytes(edge.port, `${request}garbage`);
      assert.deepEqual(statusesOf(responses), [201]);
      assert.equal(responses[0]?.headers.connection, 'close');
      assert.equal(end, 'closed');
    }
  });
});
