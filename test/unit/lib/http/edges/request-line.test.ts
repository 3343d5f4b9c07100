import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem } from '../../../../api/suite.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { describeEdges } from '../support/edge.ts';
import { createRequest } from '../support/notes.ts';

/** A word that nothing of an answer may have. */
const SECRET = 'FOO';

const LINES = [
  `${SECRET} / HTTP/1.1`,
  `${SECRET.toLowerCase()} / HTTP/1.1`,
  `GET${SECRET} / HTTP/1.1`,
  'SETUP / HTTP/1.1',
  `A ${SECRET} /x HTTP/1.1`,
  `GET\0${SECRET} / HTTP/1.1`,
  `GET\t${SECRET} / HTTP/1.1`,
  `${SECRET}:BAR / HTTP/1.1`,
  `BAR:${SECRET} / HTTP/1.1`,
  `:${SECRET} /x HTTP/1.1`,
  `"${SECRET} /x HTTP/1.1`,
  ` ${SECRET} /x HTTP/1.1`,
  `\x16\x03${SECRET} /x HTTP/1.1`,
  `\xef\xbb\xbf${SECRET} /x HTTP/1.1`,
  `x, ${SECRET} /x HTTP/1.1`,
  `{"a":1}${SECRET} /x HTTP/1.1`,
];

describeEdges('a request line that is not one', (edge) => {
  for (const line of LINES) {
    const bytes = `${line}\r\nHost: h\r\nX-Request-Id: ${SECRET}\r\n\r\n`;

    it(`${JSON.stringify(line)}: 400, with nothing of it`, async () => {
      for (const before of ['', '\r\n', '\r\n\r\n']) {
        const { text, headers } = await edge.refuses(before + bytes, 400, 'malformed-request');
        assert.doesNotMatch(text + JSON.stringify(headers), new RegExp(SECRET, 'i'));
      }
    });

    it(`${JSON.stringify(line)} behind another request: 400, or the end`, async () => {
      await edge.unchanged(async () => {
        const client = await edge.connect();
        const [first, ...more] = await client.send(getRequest('/livez') + bytes).toEnd();
        assert.equal(first?.status, 200);
        for (const response of more) {
          assertProblem(response, 400, 'malformed-request');
          assert.doesNotMatch(response.text, new RegExp(SECRET, 'i'));
        }
        assert(more.length <= 1);
      });
    });
  }

  const fields = 'Content-Length: 3\r\n';
  for (const [title, pieces] of [
    ['behind content', [`${getRequest('/livez', fields)}abcAB`, `${SECRET} /x HTTP/1.1\r\n\r\n`]],
    ['with too much content', [getRequest('/livez', fields), `ABC${SECRET} /x HTTP/1.1\r\n\r\n`]],
    ['in two pieces', [SECRET.slice(0, 1), `X${SECRET} /x HTTP/1.1\r\n\r\n`]],
    ['of which none is known', ['G', `X${SECRET} /x HTTP/1.1\r\n\r\n`]],
    ['behind a request', [`${getRequest('/livez')}G`, `X${SECRET} /x HTTP/1.1\r\n\r\n`]],
    ['behind a line', [`${getRequest('/livez')}`, 'G', `X${SECRET} /x HTTP/1.1\r\n\r\n`]],
  ] as const) {
    it(`a part of a line, ${title}, is no method`, async () => {
      await edge.unchanged(async () => {
        const client = await edge.connect();
        await client.sendApart(...pieces);
        const responses = await client.toEnd();
        for (const { status, text } of responses) {
          assert([200, 400].includes(status), text);
          assert.doesNotMatch(text, new RegExp(SECRET, 'i'));
        }
      });
    });
  }

  it('content that is longer than declared: no part of it is a method', async () => {
    await edge.unchanged(async () => {
      const client = await edge.connect();
      const create = createRequest({ fields: 'Content-Length: 2\r\n', body: '{}' });
      const responses = await client.send(`${create}${SECRET} /x HTTP/1.1\r\n\r\n`).toEnd();
      for (const { status, text } of responses) {
        assert.equal(status, 400);
        assert.doesNotMatch(text, new RegExp(SECRET, 'i'));
      }
    });
  });
});
