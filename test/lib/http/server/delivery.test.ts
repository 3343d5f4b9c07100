import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  type Delivery,
  jsonResponse,
  NO_RESPONSE,
} from '../../../../src/lib/http/core/response.ts';
import { byteString } from '../../../../src/lib/json/byte-string.ts';
import { RawClient } from '../../../support/raw.ts';
import { getRequest } from '../../../support/raw-requests.ts';
import { inSteps, route } from '../../../support/route.ts';
import { serverFor } from '../../../support/server.ts';

const TEXT = byteString('0123456789');

/** Requests content, whole, in steps or live, and returns the bytes that come. */
async function received(test: TestContext, path: string, delivery: Delivery, method = 'GET') {
  function* parts() {
    yield TEXT;
    return TEXT;
  }
  const { port, errors } = await serverFor(test, [
    route('GET', '/whole', () => ({ ...jsonResponse(200, TEXT), delivery })),
    route('GET', '/buffer', () => ({ ...jsonResponse(200, Buffer.from(TEXT)), delivery })),
    route('GET', '/steps', () => ({ ...jsonResponse(200, inSteps(parts())), delivery })),
    route('GET', '/live', () => ({
      status: 200,
      delivery,
      content: (writer) => {
        writer.write(TEXT);
        assert.equal(writer.isDrained, false);
        writer.on('drain', () => assert.fail('it has ended'));
        writer.write(TEXT);
        writer.end();
      },
    })),
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

/** Lets three bytes through at a time, one turn later. */
function threeByThree() {
  const lefts: number[] = [];
  const next = async (left: number) => {
    lefts.push(left);
    await new Promise((resolve) => setImmediate(resolve));
    return Math.min(3, left);
  };
  return { lefts, next };
}

const CHUNKS = '3\r\n012\r\n3\r\n345\r\n3\r\n678\r\n1\r\n9\r\n';

describe('a delivery', () => {
  for (const path of ['/whole', '/buffer']) {
    it(`sends content of a known length piece by piece: ${path}`, async (test) => {
      const { lefts, next } = threeByThree();
      const { head, content } = await received(test, path, { next });
      assert.match(head, /^HTTP\/1.1 200 .*Content-Length: 10/s);
      assert.equal(content, TEXT);
      assert.deepEqual(lefts, [10, 7, 4, 1]);
    });
  }

  for (const path of ['/steps', '/live']) {
    it(`sends content of an unknown length piece by piece: ${path}`, async (test) => {
      const { lefts, next } = threeByThree();
      const { content } = await received(test, path, { next });
      assert.equal(content, `${CHUNKS}${CHUNKS}0\r\n\r\n`);
      assert.deepEqual(lefts, [10, 7, 4, 1, 10, 7, 4, 1]);
    });
  }

  it('sends half of content of a known length, with the length of all of it', async (test) => {
    const { head, content, end } = await received(test, '/whole', { isTruncated: true });
    assert.match(head, /Content-Length: 10/);
    assert.deepEqual([content, end], ['01234', 'closed']);
  });

  it('sends some of content in chunks, without the last chunk, also slowly', async (test) => {
    const cut = await received(test, '/steps', { isTruncated: true });
    assert.equal(cut.content, '5\r\n01234\r\n');
    const { next } = threeByThree();
    const slow = await received(test, '/steps', { isTruncated: true, next });
    assert.equal(slow.content, '3\r\n012\r\n2\r\n34\r\n');
  });

  it('has no part in a response to HEAD', async (test) => {
    const { lefts, next } = threeByThree();
    const { head, end } = await received(test, '/whole', { next, isTruncated: true }, 'HEAD');
    assert.match(head, /Content-Length: 10/);
    assert.deepEqual([lefts, end], [[], 'closed']);
  });
});

it('a response can be a TCP reset', async (test) => {
  assert.deepEqual(await received(test, '/reset', {}), { head: '', content: '', end: 'reset' });
});
