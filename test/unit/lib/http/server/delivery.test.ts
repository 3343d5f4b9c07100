import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { jsonResponse, NO_RESPONSE } from '../../../../../src/lib/http/core/response.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { RawClient } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { inParts, route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';

const TEXT = byteString('0123456789');

/** Requests truncated content, whole or in steps, and returns the bytes that arrive. */
async function received(test: TestContext, path: string, method = 'GET') {
  function* parts() {
    yield TEXT;
    return TEXT;
  }
  const { port, errors } = await serverFor(test, [
    route('GET', '/whole', () => ({ ...jsonResponse(200, TEXT), isTruncated: true })),
    route('GET', '/buffer', () => ({ ...jsonResponse(200, Buffer.from(TEXT)), isTruncated: true })),
    route('GET', '/steps', () => ({ ...jsonResponse(200, inParts(parts())), isTruncated: true })),
    route('GET', '/reset', () => ({ ...NO_RESPONSE, isReset: true })),
  ]);
  const client = await RawClient.connect(port);
  test.after(() => client.destroy());
  let text = '';
  client.socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  client.send(`${method}${getRequest(path, 'Connection: close\r\n').slice(3)}`);
  const end = await client.ended;
  assert.deepEqual(errors, []);
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return { head, content: rest.join('\r\n\r\n'), end };
}

describe('a truncated response', () => {
  for (const path of ['/whole', '/buffer']) {
    it(`has half of its content, and the length of all of it: ${path}`, async (test) => {
      const { head, content, end } = await received(test, path);
      assert.match(head, /^HTTP\/1.1 200 .*Content-Length: 10/s);
      assert.deepEqual([content, end], ['01234', 'closed']);
    });
  }

  it('in chunks has half of the first part, without the last chunk', async (test) => {
    assert.equal((await received(test, '/steps')).content, '5\r\n01234\r\n');
  });

  it('is a usual one to HEAD', async (test) => {
    const { head, content } = await received(test, '/whole', 'HEAD');
    assert.match(head, /Content-Length: 10/);
    assert.equal(content, '');
  });
});

it('a response can be a TCP reset', async (test) => {
  assert.deepEqual(await received(test, '/reset'), { head: '', content: '', end: 'reset' });
});
