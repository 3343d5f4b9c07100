import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem } from '../../../../support/assertions.ts';
import { exchangeBytes, statusesOf } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { describeEdges } from '../support/edge.ts';
import { createRequest } from '../support/notes.ts';

const OTHER_METHODS = ['TRACE', 'QUERY', 'MKCOL', 'SOURCE', 'PATCH', 'LINK'];
/** The field that an offer of an upgrade needs besides `Upgrade` (RFC 9110, section 7.8). */
const OPTION = 'Connection: upgrade\r\n';

const DELETE = getRequest('/api/notes/1').replace('GET', 'DELETE');

/** The shortest bytes that make the next request line the value of a field. */
const HIDDEN = 'GET / HTTP/1.1\r\nX:';
const MANY_FIELDS = OPTION + 'a:b\r\n'.repeat(HIDDEN.length);

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

  it('Upgrade in a refused request, with all of its content: the connection goes on', async () => {
    const fields = `Content-Length: 3\r\n${OPTION}Upgrade: h2c\r\n`;
    const request = createRequest({ fields, body: 'abc' }).replace('/json', '/plain');
    const { status, headers } = await edge.answers(request);
    assert.deepEqual([status, headers.connection], [415, 'keep-alive']);
  });

  it('Upgrade in each of many requests: ignored, and nothing is kept of it', async (test) => {
    const warn = test.mock.method(process, 'emitWarning', () => {});
    const client = await edge.connect();
    const fields = 'Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AA\r\nUpgrade: h2c\r\n';
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
    ['the option in Proxy-Connection', 'Proxy-Connection: upgrade\r\n', ''],
    ['no spaces behind colons', 'Connection:upgrade\r\nX-One:1\r\n', ''],
    // With a space behind each colon, the section would be as long as with the bytes behind it.
    ['as many colons without spaces as a header section has bytes', MANY_FIELDS, ''],
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

  /** A request with 16 fields, none of them with a space. */
  function unspaced(fields = ''): string {
    const lines = ['Host:h', 'a:b'.repeat(100), ...Array(12).fill('a:b')];
    return `GET /livez HTTP/1.1\r\n${fields}${lines.join('\r\n')}\r\n\r\n`;
  }

  const OFFER = 'Upgrade:h2c\r\nConnection:upgrade\r\n';

  it('Upgrade after requests that hide a header section, 16 bytes each: the response is the last', async () => {
    edge.notes.create('kept');
    const requests = [...Array(11).fill(unspaced('b:c\r\nb:c\r\n')), unspaced(OFFER)];
    const header = `POST /api/notes HTTP/1.1\r\nHost: h\r\nContent-Length: ${DELETE.length}\r\nX: `;
    const bytes = `${requests.join('')}${header.padEnd(16 * 12 - 4, 'x')}\r\n\r\n`;
    // The segment of each request ends with 16 bytes more of the next one.
    let end = 0;
    const segments = requests.map(({ length }, i) => {
      const start = i === 0 ? 0 : end + 16 * i;
      end += length;
      return bytes.slice(start, end + 16 * (i + 1));
    });
    await edge.unchanged(async () => {
      const client = await edge.connect();
      await client.sendApart(...segments, DELETE);
      const connections = (await client.toEnd()).map(({ headers }) => headers.connection);
      assert.deepEqual(connections, [...Array(11).fill('keep-alive'), 'close']);
    });
  });

  /** A request that offers an upgrade, with content of three bytes, as it is usually sent. */
  const USUAL = `${getRequest('/livez', `${OPTION}Upgrade: h2c\r\nContent-Length: 3\r\n`)}abc`;
  const HIDDEN_POST = createRequest({
    fields: `Content-Length: ${DELETE.length}\r\n`,
    body: '',
  });
  const REFUSED = USUAL.replace('/livez', '/none');

  for (const [title, segments] of [
    ['one byte behind it', [`${USUAL}G`]],
    ['one byte behind content that arrives alone', [USUAL.slice(0, -3), 'abcG']],
    ['a header section that is split', [USUAL.slice(0, -4), `\nabc${HIDDEN_POST}`, DELETE]],
    ['empty lines before it', [`\r\n\r\n${USUAL}`]],
    ['a refusal before its content', [REFUSED.slice(0, -3), `abc${HIDDEN_POST}`, DELETE]],
    ['fields without spaces', [unspaced(OFFER)]],
  ] as const) {
    it(`a later Upgrade with ${title}: the response is the last`, async () => {
      edge.notes.create('kept');
      await edge.unchanged(async () => {
        const client = await edge.connect();
        await client.sendApart(USUAL, USUAL, ...segments);
        const connections = (await client.toEnd()).map(({ headers }) => headers.connection);
        assert.deepEqual(connections, ['keep-alive', 'keep-alive', 'close']);
      });
    });
  }

  it('a first Upgrade that is refused before its content, with spaces behind a field: the response is the last', async () => {
    const [header = ''] = REFUSED.split('abc');
    const client = await edge.connect();
    await client.sendApart(header.replace('h2c', 'h2c   '), `abc${HIDDEN_POST}`, DELETE);
    const connections = (await client.toEnd()).map(({ headers }) => headers.connection);
    assert.deepEqual(connections, ['close']);
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

describeEdges('bytes that are not a request, after an offer of an upgrade', (edge) => {
  const upgrade = getRequest('/livez', `${OPTION}Upgrade: h2c\r\n`);
  const post = createRequest({
    fields: `Content-Length: 2\r\n${OPTION}Upgrade: h2c\r\n`,
    body: '{}',
  });

  for (const [bytes, status] of [
    ['FOO / HTTP/1.1\r\n', 400],
    ['hello', 400],
    ['\x16\x03\x01\x02\x00\x01\x00', 400],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nX : a\r\n\r\n', 400],
    ['\r\nGET / HTTP/1.1\nHost: h\n\n', 400],
    ['GET / HTTP/1.1 \r\n\r\n', 400],
    [getRequest('/livez', `X: ${'x'.repeat(100_000)}\r\n`), 431],
    [getRequest(`/${'x'.repeat(100_000)}`), 414],
  ] as const) {
    for (const before of [[upgrade], [post, getRequest('/livez'), upgrade], [upgrade, post]]) {
      const name = `${JSON.stringify(bytes.slice(0, 30))} after ${before.length} requests`;
      it(`${name}: ${status}, and nothing after them is carried out`, async () => {
        edge.notes.create('kept');
        await edge.unchanged(async () => {
          const client = await edge.connect();
          for (const request of before) {
            assert.equal((await client.send(request).next())?.headers.connection, 'keep-alive');
          }
          await client.sendApart(bytes, DELETE);
          const responses = await client.toEnd();
          assert.deepEqual(statusesOf(responses), [status]);
          assert.equal(responses[0]?.headers.connection, 'close');
        });
      });
    }
  }

  it('that do not end get 431 when they are longer than a header section', async () => {
    const client = await edge.connect();
    await client.send(upgrade).next();
    client.send(`GET /livez HTTP/1.1\r\nX: ${'x'.repeat(100_000)}`);
    assert.equal((await client.next())?.status, 431);
  });

  it('in parts: a request is served, other bytes get 400 as soon as that is certain', async () => {
    for (const [part, rest, status] of [
      ['\r\nGE', 'T /livez HTTP/1.1\r\nHost: h\r\n\r\n', 200],
      ['GET /livez HTTP/1.1\r\nHo', 'st: h\r\n\r\n', 200],
      ['GET /livez HTTP/1.1\r\nHo', ' st: h\r\n\r\n', 400],
      ['GET', 'T /livez HTTP/1.1\r\n', 400],
    ] as const) {
      const client = await edge.connect();
      await client.send(upgrade).next();
      await client.sendApart(part);
      assert.equal((await client.send(rest).next())?.status, status, part + rest);
      client.destroy();
    }
  });
});
