import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem } from '../../../../support/assertions.ts';
import { exchangeBytes } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { describeEdges } from '../support/edge.ts';
import { createRequest } from '../support/notes.ts';

const OTHER_METHODS = ['TRACE', 'QUERY', 'MKCOL', 'SOURCE', 'PATCH', 'LINK'];
/** The field that an offer of an upgrade needs besides `Upgrade` (RFC 9110, section 7.8). */
const OPTION = 'Connection: upgrade\r\n';

describeEdges('requests that keep the connection open', (edge) => {
  for (const method of OTHER_METHODS) {
    it(`${method} on a known path: 405 with Allow`, async () => {
      const request = getRequest('/api/notes').replace('GET', method);
      const answer = await edge.unchanged(() => edge.answers(request));
      assertProblem(answer, 405, 'method-not-allowed');
      assert.equal(answer.headers.allow, 'GET, HEAD, POST, OPTIONS');
    });
  }

  for (const protocol of ['websocket', 'h2c', 'TLS/1.0']) {
    it(`Upgrade to ${protocol}: ignored`, async () => {
      const settings = 'Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AA\r\n';
      const fields = `${settings}Upgrade: ${protocol}\r\n`;
      assert.equal((await edge.answers(getRequest('/livez', fields))).status, 200);
    });
  }

  it('Upgrade in each of many requests: ignored, and nothing is kept of it', async (test) => {
    const warn = test.mock.method(process, 'emitWarning', () => {});
    const client = await edge.connect();
    const fields = 'Connection: Upgrade\r\nUpgrade: h2c\r\n';
    const body = '{"title":"sent raw"}';
    const create = createRequest({ fields: `Content-Length: ${body.length}\r\n${fields}`, body });
    for (let i = 0; i < 20; i++) {
      assert.equal((await client.send(getRequest('/livez', fields)).next())?.status, 200);
      assert.equal((await client.send(create).next())?.status, 201);
    }
    client.destroy();
    assert.equal(warn.mock.callCount(), 0, 'listeners do not add up');
  });

  for (const [title, fields, content] of [
    ['no content', OPTION, ''],
    ['content', `${OPTION}Content-Length: 3\r\n`, 'abc'],
    ['content in chunks', `${OPTION}Transfer-Encoding: chunked\r\n`, '3\r\nabc\r\n0\r\n\r\n'],
    ['no option in Connection', '', ''],
    ['content, and no option in Connection', 'Content-Length: 3\r\n', 'abc'],
  ] as const) {
    const upgrade = getRequest('/livez', `${fields}Upgrade: h2c\r\n`) + content;

    it(`Upgrade with ${title}: later bytes of the same segment are not misread`, async () => {
      await edge.unchanged(async () => {
        const client = await edge.connect();
        const responses = await client.send(upgrade + getRequest('/livez')).take(2);
        // Without the option `upgrade`, the field does not offer an upgrade.
        const isServed = !upgrade.includes(OPTION);
        assert.equal(responses.length, isServed ? 2 : 1);
        if (!isServed) assert.equal(await client.ended, 'closed');
        client.destroy();
      });
    });

    for (const [bytes, status] of [
      [getRequest('/api/notes').replace('GET', 'FOO'), 400],
      ['\x16\x03\x01\r\n\r\n', 400],
      [createRequest({ fields: 'Content-Length: +1\r\n' }), 400],
    ] as const) {
      const start = JSON.stringify(bytes.slice(0, 12));
      it(`Upgrade with ${title}: ${start} after it gets ${status}`, async () => {
        const client = await edge.connect();
        assert.equal((await client.send(upgrade).next())?.status, 200);
        const responses = await client.send(bytes).toEnd();
        assert.deepEqual(
          responses.map((response) => response.status),
          [status],
        );
      });
    }
  }

  it('Upgrade with content: bytes that follow it get 400, which says that they were not read', async () => {
    const client = await edge.connect();
    const fields = `${OPTION}Upgrade: h2c\r\nContent-Length: 3\r\n`;
    assert.equal((await client.send(getRequest('/none', fields)).next())?.status, 404);
    const [response, ...more] = await client.send(`abc${getRequest('/livez')}`).toEnd();
    assert(response);
    assertProblem(response, 400, 'malformed-request');
    const detail = 'Bytes that follow an offer of an upgrade are not read; send the request again';
    assert.equal(JSON.parse(response.text).detail, detail);
    assert.deepEqual(more, []);
  });

  for (const host of ['', 'h:80', 'h:', 'a-b.c_d~', '%41', '[::1]', '[::1]:80']) {
    it(`Host "${host}": served`, async () => {
      const request = getRequest('/livez').replace(/Host: .*/, `hOST: ${host}`);
      assert.equal((await edge.answers(request)).status, 200);
    });
  }

  for (const target of ['http://h/livez', 'HTTP://other:80/livez?x', 'https://h/livez']) {
    it(`absolute form ${target}: routed by its path`, async () => {
      assert.equal((await edge.answers(getRequest(target))).status, 200);
    });
  }

  for (const target of [
    '//evil/api/notes',
    '/\\evil',
    '/\\/evil/api/notes',
    '/api%2Fnotes',
    '*',
    'http://h/none',
    'http://h//api/notes',
  ]) {
    it(`${target}: 404, never another host or path`, async () => {
      assertProblem(await edge.answers(getRequest(target)), 404, 'unknown-path');
    });
  }

  it('http://h: an empty path in an absolute target is /', async () => {
    const relative = await edge.answers(getRequest('/'));
    const absolute = await edge.answers(getRequest('http://h'));
    assert.deepEqual([absolute.status, absolute.text], [relative.status, relative.text]);
  });

  for (const target of ['/livez#x', '/#/livez', 'http://h/livez#', '/livez?a#b', 'ftp://h/livez']) {
    it(`${target}: 400`, async () => {
      assertProblem(await edge.answers(getRequest(target)), 400, 'malformed-request');
    });
  }

  for (const method of ['GET', 'DELETE']) {
    it(`Expect: 100-continue of a ${method} without content: ignored`, async () => {
      const target = '/api/notes/99';
      const request = getRequest(target, 'Expect: 100-continue\r\nContent-Length: 0\r\n');
      const response = await edge.answers(request.replace('GET', method));
      assert.equal(response.status, method === 'GET' ? 404 : 204);
    });
  }

  it('a field named __proto__ is harmless', async () => {
    const fields = '__proto__: x\r\nconstructor: y\r\n';
    assert.equal((await edge.answers(getRequest('/livez', fields))).status, 200);
  });

  it('empty lines before a request are skipped', async () => {
    assert.equal((await edge.answers(`\r\n\r\n${getRequest('/livez')}`)).status, 200);
  });

  it('HTTP/1.0: closes unless told otherwise, and sends lists without chunks', async () => {
    const { responses, end } = await exchangeBytes(edge.port, 'GET /api/notes HTTP/1.0\r\n\r\n');
    assert.equal(responses[0]?.headers['transfer-encoding'], undefined);
    assert.equal(responses[0]?.status, 200);
    assert.equal(end, 'closed');
    for (const line of ['GET /livez', 'DELETE /api/notes/99']) {
      const kept = await edge.answers(`${line} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`);
      assert.equal(kept.headers.connection, 'keep-alive');
      assert.equal(kept.headers['keep-alive'], 'timeout=64');
    }
  });
});
