import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Handler } from '../../../../../src/lib/http/messages/request.ts';
import { jsonResponse } from '../../../../../src/lib/http/messages/response.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { exchangeBytes, statusesOf } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';

const lengthOf: Handler = ({ content }) => jsonResponse(200, byteString(`${content.length}`));

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const EMPTY = '0\r\n\r\n';

it('empty content, chunked or with a length of 0, is no content', async (test) => {
  const content = { mediaTypes: ['application/json'] };
  const { port } = await serverFor(test, [
    route('POST', '/optional', lengthOf, { content: { ...content, isOptional: true } }),
    route('POST', '/needed', lengthOf, { content }),
  ]);
  const statusOf = async (path: string, fields: string, body = '') => {
    const head = `POST ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${fields}\r\n`;
    const { responses } = await exchangeBytes(port, head + body);
    return statusesOf(responses);
  };
  for (const path of ['/optional', '/needed']) {
    for (const type of ['', 'Content-Type: text/plain\r\n', 'Content-Type: application/json\r\n']) {
      const none = await statusOf(path, type);
      assert.deepEqual(await statusOf(path, `${type}Content-Length: 0\r\n`), none);
      assert.deepEqual(await statusOf(path, type + CHUNKED, EMPTY), none);
      const trailer = EMPTY.replace('\r\n', '\r\nX: y\r\n');
      assert.deepEqual(await statusOf(path, type + CHUNKED, trailer), none);
    }
  }
  for (const [fields, body] of [
    [CHUNKED, `1\r\na\r\n${EMPTY}`],
    ['Content-Length: 1\r\n', 'a'],
    [`${CHUNKED}Content-Type: text/plain\r\n`, `1\r\na\r\n${EMPTY}`],
    [
      `${CHUNKED}Content-Encoding: gzip\r\nContent-Type: application/json\r\n`,
      `1\r\na\r\n${EMPTY}`,
    ],
    [`${CHUNKED}Expect: 100-continue\r\n`, ''],
  ] as const) {
    assert.deepEqual(await statusOf('/optional', fields, body), [415], fields);
  }
});

it('an empty Accept, Content-Encoding or Expect counts as absent', async (test) => {
  const content = { mediaTypes: ['application/json'] };
  const { port } = await serverFor(test, [
    route('POST', '/', lengthOf, { content, produces: ['application/json', 'text/plain'] }),
  ]);
  for (const name of ['Accept', 'Content-Encoding', 'Expect']) {
    for (const value of ['', ' ', '\t', ...(name === 'Accept' ? [',', ' , ,,'] : [])]) {
      const fields = `Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n`;
      const head = `POST / HTTP/1.1\r\nHost: h\r\n${fields}${name}:${value}\r\n\r\n`;
      const { responses } = await exchangeBytes(port, `${head}{}`);
      const statuses = statusesOf(responses);
      assert.deepEqual(statuses, [200], `${name} ${JSON.stringify(value)}`);
    }
  }
});

it('request line and header fields are bounded together, and the target by itself', async (test) => {
  const pages = [route('GET', '/', () => jsonResponse(200, byteString('{}')))];
  for (const maxHeaderBytes of [8 * 1024, 16 * 1024, 64 * 1024]) {
    const { port } = await serverFor(test, pages, { maxHeaderBytes });
    const statusOf = async (bytes: number, target = '/') => {
      const request = getRequest(target, 'Connection: close\r\nCookie: \r\n');
      const cookie = 'x'.repeat(Math.max(0, bytes - request.length));
      const { responses } = await exchangeBytes(port, request.replace(': \r', `: ${cookie}\r`));
      return responses[0]?.status;
    };
    const longest = `/?${'x'.repeat(8 * 1024 - 2)}`;
    // The parser does not count the line ends.
    assert.equal(await statusOf(maxHeaderBytes + 8 * 1024), 200);
    assert.equal(await statusOf(maxHeaderBytes + 8 * 1024, longest), 200);
    assert.equal(await statusOf(maxHeaderBytes + 8 * 1024 + 100), 431);
    assert.equal(await statusOf(0, `${longest}x`), 414);
  }
});
