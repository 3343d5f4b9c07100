import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeEdges } from '../support/edge.ts';

/** A word that no part of a response may contain. */
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

    it(`${JSON.stringify(line)}: 400, which does not quote it`, async () => {
      for (const before of ['', '\r\n', '\r\n\r\n']) {
        const { text, headers } = await edge.refuses(before + bytes, 400, 'malformed-request');
        assert.doesNotMatch(text + JSON.stringify(headers), new RegExp(SECRET, 'i'));
      }
    });
  }
});
