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

const DELETE = getRequest('/api/notes/1').replace('GET', 'DELETE');

/** The shortest bytes that make the next request line the value of a field. */
const HIDDEN = 'GET / HTTP/1.1\r\nX:';

/** Bytes behind an offer of an upgrade that would change how the next segment is read. */
const SMUGGLING = [
  ['the start of a header section', HIDDEN],
  ['a header section', createRequest({ fields: `Content-Length: ${DELETE.length}\r\n`, body: '' })],
  ['half of a header section', DELETE.slice(0, 30)],
  ['a request', DELETE],
  ['a single byte', 'G'],
] as const;

describeEdges('requests that keep the connection open', (edge) => {
  for (const method of OTHER_METHODS) {
    it(`${method} on a known path: 405 with Allow`, async () => {
      const request = getRequest('/api/notes').replace('GET', method);
      const answer = await edge.unchanged(() => edge.answers(request));
      assertProblem(answer, 405, 'method-not-allowed');
      assert.equal(answer.headers.allow, 'GET, HEAD, POST, OPTIONS');
    });
  }

  it('Upgrade with a POST: the field is ignored, the content is stored, and the response is the last', async () => {
    const fields = 'Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AA\r\nUpgrade: h2c\r\n';
    const body = '{"title":"sent raw"}';
    const create = createRequest({ fields: `Content-Length: ${body.length}\r\n${fields}`, body });
    const [response, ...more] = await (await edge.connect()).send(create).toEnd();
    const { status, headers } = response ?? {};
    assert.deepEqual([status, headers?.connection, more], [201, 'close', []]);
  });

  for (const [title, fields, content] of [
    ['no content', OPTION, ''],
    ['content', `${OPTION}Content-Length: 3\r\n`, 'abc'],
    ['content in chunks', `${OPTION}Transfer-Encoding: chunked\r\n`, '3\r\nabc\r\n0\r\n\r\n'],
    ['the option in Proxy-Connection', 'Proxy-Connection: upgrade\r\n', ''],
    ['no spaces behind colons', 'Connection:upgrade\r\nX-One:1\r\n', ''],
  ] as const) {
    const upgrade = getRequest('/livez', `${fields}Upgrade: h2c\r\n`) + content;

    for (const [what, bytes] of SMUGGLING) {
      it(`Upgrade with ${title}: ${what} behind it is not carried out, nor what follows`, async () => {
        edge.notes.create('kept');
        await edge.unchanged(async () => {
          const client = await edge.connect();
          await client.sendApart(upgrade + bytes, DELETE, DELETE);
          const responses = await client.toEnd();
          assert.deepEqual(
            responses.map(({ status, headers }) => [status, headers.connection]),
            [[200, 'close']],
          );
        });
      });
    }
  }

  it('Upgrade, refused, with content and more behind it: the response is the last', async () => {
    const fields = `${OPTION}Upgrade: h2c\r\nContent-Length: 3\r\n`;
    for (const [, bytes] of SMUGGLING) {
      const client = await edge.connect();
      await client.sendApart(`${getRequest('/none', fields)}abc${bytes}`, DELETE);
      const responses = await client.toEnd();
      assert.deepEqual(
        responses.map(({ status, headers }) => [status, headers.connection]),
        [[404, 'close']],
      );
    }
  });

  it('Upgrade behind requests in one segment: the response is the last', async () => {
    const upgrade = getRequest('/livez', `${OPTION}Upgrade: h2c\r\n`);
    const client = await edge.connect();
    await client.sendApart(getRequest('/livez') + upgrade, DELETE);
    const connections = (await client.toEnd()).map(({ headers }) => headers.connection);
    assert.deepEqual(connections, ['keep-alive', 'close']);
  });

  it('Upgrade with no option in Connection means nothing', async () => {
    const client = await edge.connect();
    const upgrade = getRequest('/livez', 'Upgrade: h2c\r\n');
    await client.sendApart(upgrade + getRequest('/livez'), getRequest('/livez'));
    const connections = (await client.take(3)).map(({ headers }) => headers.connection);
    assert.deepEqual(connections, Array(3).fill('keep-alive'));
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
    for (const fields of [
      'close\r\nConnection: keep-alive',
      'Keep-Alive, Close',
      'keep-alive,\tclose',
    ]) {
      const old = `GET /livez HTTP/1.0\r\nConnection: ${fields}\r\n\r\n`;
      const closed = await exchangeBytes(edge.port, old + old);
      assert.deepEqual(
        closed.responses.map(({ headers }) => headers.connection),
        ['close'],
        fields,
      );
    }
    for (const line of ['GET /livez', 'DELETE /api/notes/99']) {
      const kept = await edge.answers(`${line} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`);
      assert.equal(kept.headers.connection, 'keep-alive');
      assert.equal(kept.headers['keep-alive'], 'timeout=64');
    }
  });
});
