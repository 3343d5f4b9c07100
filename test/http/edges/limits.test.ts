import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertProblem } from '../../api/suite.ts';
import { createRequest, describeEdges, type Edge, getRequest } from '../../support/edge.ts';
import { type RawClient, talk } from '../../support/raw.ts';

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const CHUNK = `10000\r\n${'x'.repeat(0x10000)}\r\n`;

/** Requests whose responses are sent before their content has arrived, or regardless of it. */
const UNREAD: Readonly<Record<string, readonly [bytes: string, status: number]>> = {
  'OPTIONS of a path': [
    createRequest({ fields: CHUNKED, body: '' }).replace('POST', 'OPTIONS'),
    413,
  ],
  'an unknown path': [
    createRequest({ fields: CHUNKED, body: '' }).replace('/api/todos', '/none'),
    404,
  ],
  'an unsupported method': [
    createRequest({ fields: CHUNKED, body: '' }).replace('POST', 'PATCH'),
    405,
  ],
  'an unsupported media type': [
    createRequest({ fields: CHUNKED, body: '' }).replace('json', 'xml'),
    415,
  ],
  'a GET': [getRequest('/livez', CHUNKED), 413],
};

/** Sends chunks until the server ends the connection, and returns how many bytes it accepted. */
async function sendWithoutEnd(client: RawClient): Promise<number> {
  const limit = 64 * 1024 * 1024;
  let sent = 0;
  while (client.socket.writable && sent < limit) {
    if (!client.socket.write(CHUNK)) await sleep(1);
    sent += CHUNK.length;
  }
  return sent;
}

describeEdges('content that nobody reads', (edge) => {
  for (const [title, [bytes, status]] of Object.entries(UNREAD)) {
    it(`of ${title}: is not read indefinitely`, async () => {
      const client = await edge.connect();
      const begin = performance.now();
      client.send(bytes);
      const response = client.next();
      const sent = await sendWithoutEnd(client);
      assert.equal((await response)?.status, status);
      assert(sent < 32 * 1024 * 1024, `${sent} bytes were sent`);
      assert(performance.now() - begin < 5_000);
      client.destroy();
    });

    it(`of ${title}: a little of it does not end the connection`, async () => {
      const little = `${bytes}3\r\nabc\r\n0\r\n\r\n`;
      const expected = status === 413 ? [200, 204] : [status];
      assert(expected.includes((await edge.answers(little)).status));
    });
  }
});

describeEdges(
  'a client that reads slowly',
  (edge) => {
    it('but steadily is not cut; one that does not read is', async () => {
      for (let i = 0; i < 60; i++) {
        const description = 'y'.repeat(1000);
        await Promise.all(
          Array.from({ length: 100 }, () =>
            edge.client.post('/api/todos', { title: 'x', description }),
          ),
        );
      }
      const slow = await edge.connect();
      slow.ignore().send(getRequest('/api/todos').repeat(3));
      slow.socket.pause();
      const stuck = await edge.connect();
      stuck.send(getRequest('/api/todos').repeat(3));
      stuck.socket.pause();
      let read = 0;
      slow.socket.on('data', (chunk) => {
        read += chunk.length;
      });
      const cutStuck = new Promise((resolve) => stuck.socket.once('close', resolve));
      let isSlowCut = false;
      slow.socket.once('close', () => {
        isSlowCut = true;
      });
      const reading = setInterval(() => {
        slow.socket.resume();
        setImmediate(() => slow.socket.pause());
      }, 50);
      stuck.socket.resume();
      stuck.socket.pause();
      await sleep(4_000);
      clearInterval(reading);
      assert.equal(isSlowCut, false, `it had read ${read} bytes`);
      slow.destroy();
      stuck.socket.resume();
      await cutStuck;
    });
  },
  { sendTimeout: 300, slowestReader: 1_000_000, connectionsCheckingInterval: 50 },
);

/** The parts of field values that a quadratic parser would take long to read. */
const CRAFTED = {
  Accept: ['"', '\\"', ','],
  'Content-Type': ['a/b;', 'x="', '\\"'],
  Connection: ['close,', ' ', '\t'],
  'Accept-Encoding': [',', 'a;'],
  Expect: ['"', ' '],
  Host: ['a.', '%41', ':'],
} as const;

async function answerOnce(edge: Edge, request: string): Promise<void> {
  const client = await edge.connect();
  await client.send(request).next();
  client.destroy();
}

/**
 * The shortest of several runs, in milliseconds, stopping at the first fast one: other load on the
 * machine slows down some runs, work quadratic in its input slows down all.
 */
async function fastest(runs: number, work: () => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && least > 20; run++) {
    const begin = performance.now();
    await work();
    least = Math.min(least, performance.now() - begin);
  }
  return least;
}

describeEdges('fields and targets crafted to take long', (edge) => {
  for (const [name, pieces] of Object.entries(CRAFTED)) {
    it(`${name}: are parsed fast`, async () => {
      for (const first of pieces) {
        for (const piece of pieces) {
          const value = (first + piece.repeat(7_900 / piece.length)).slice(0, 7_900);
          const request =
            name === 'Host'
              ? `GET /api/todos HTTP/1.1\r\nHost: ${value}\r\n\r\n`
              : createRequest({ fields: `${name}: ${value}\r\nContent-Length: 20\r\n` });
          const ms = await fastest(5, () => answerOnce(edge, request));
          assert(ms < 100, `${ms} ms for ${JSON.stringify(first + piece)}`);
        }
      }
    });
  }
});

describeEdges('lists of entity tags crafted to take long', (edge) => {
  for (const name of ['If-Match', 'If-None-Match']) {
    it(`${name}: are parsed fast`, async () => {
      const count = 40;
      const fields = `${name}: "a",${' '.repeat(7_900)}x\r\n`;
      const client = await edge.connect();
      const begin = performance.now();
      const responses = await client
        .send(getRequest('/api/todos', fields).repeat(count))
        .take(count);
      const ms = performance.now() - begin;
      assert.equal(responses.length, count);
      assert(ms < 2_000, `${ms} ms`);
      client.destroy();
    });
  }
});

describeEdges('unusual requests', (edge) => {
  it('limit and offset may have any number of digits', async () => {
    await edge.client.post('/api/todos', { title: 'one' });
    const digits = '9'.repeat(1_000);
    for (const query of [`limit=${digits}`, `limit=1000000000000000`, `limit=1&offset=00`]) {
      const response = await edge.answers(getRequest(`/api/todos?${query}`));
      assert.equal(response.status, 200, query);
      assert.notEqual(response.text, '[]', query);
    }
    const response = await edge.answers(getRequest(`/api/todos?offset=${digits}`));
    assert.equal(response.text, '[]');
  });

  it('a repeated field in sort is ignored', async () => {
    const sort = Array(500).fill('-title').join();
    const response = await edge.answers(getRequest(`/api/todos?sort=id,${sort},-id`));
    const ids = JSON.parse(response.text).map(({ id }: { id: number }) => id);
    assert.deepEqual(
      ids,
      ids.toSorted((a: number, b: number) => a - b),
    );
  });

  it('instance is the path, as a valid URI reference', async () => {
    for (const [target, instance] of [
      ['/api/todos/%zz', '/api/todos/%25zz'],
      ['http://user:secret@h/nope?x=y', '/nope'],
      ['//evil/x', '/.//evil/x'],
      ['/api/todos/abc?x', '/api/todos/abc'],
    ] as const) {
      const { text } = await edge.answers(getRequest(target));
      assert.equal(JSON.parse(text).instance, instance);
    }
  });

  for (const host of ['[::::::::::]', '[1:2]', '[g::]', '[::1', '[]', '[127.0.0.1]']) {
    it(`Host ${host}: 400`, async () => {
      const request = `GET /livez HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      await edge.refuses(request, 400, 'malformed-request');
    });
  }

  it('two Content-Type fields: 400, whichever comes first', async () => {
    for (const more of ['text/plain', 'application/json']) {
      const fields = `content-type: ${more}\r\nContent-Length: 20\r\n`;
      await edge.refuses(createRequest({ fields }), 400, 'malformed-request');
    }
  });

  it('an empty Accept accepts everything', async () => {
    for (const accept of ['', ',', ' , ,,']) {
      const response = await edge.answers(getRequest('/api/todos', `Accept: ${accept}\r\n`));
      assert.equal(response.status, 200, JSON.stringify(accept));
    }
  });

  it('content of only a no-break space is not empty, but not JSON', async () => {
    const fields = 'Content-Length: 2\r\n';
    const response = await edge.answers(createRequest({ fields, body: '\xc2\xa0' }));
    assert.match(assertProblem(response, 400, 'malformed-body').detail, /is not JSON/);
  });

  it('an unknown method after a request in the same packet gets its own response', async () => {
    for (const [method, path, status] of [
      ['FOO', '/api/todos', 405],
      ['BREW', '/none', 404],
    ] as const) {
      const client = await edge.connect();
      const second = getRequest(path).replace('GET', method);
      client.send(createRequest() + getRequest('/livez') + second);
      const statuses = (await client.toEnd()).map((response) => response.status);
      assert.deepEqual(statuses, [201, 200, status]);
      assert.equal(await client.ended, 'closed');
    }
  });

  it('the last letters of content are not part of the next method', async () => {
    const { headers } = await edge.client.post('/api/todos', { title: 'kept' });
    const second = getRequest(`${headers.location}`).replace('GET', 'DELETE');
    const contents = [
      getRequest('/livez', 'Content-Length: 3\r\n'),
      createRequest({ fields: 'Content-Length: 3\r\n', body: '' }).replace('json', 'x'),
    ];
    for (const first of contents) {
      await edge.unchanged(async () => {
        const { responses, end } = await talk(edge.service.port, first + second);
        assert(responses.length <= 2 && end === 'closed');
        assert(responses.every(({ status }) => status !== 204));
      });
    }
  });

  it('a known method that began in an earlier packet is not a method of its own', async () => {
    const { headers } = await edge.client.post('/api/todos', { title: 'kept' });
    const client = await edge.connect();
    await edge.unchanged(async () => {
      const rest = getRequest(`${headers.location}`).replace('GET', 'DELETE');
      await client.sendApart('G', rest);
      const [response] = await client.toEnd();
      assert(response);
      assertProblem(response, 400, 'malformed-request');
    });
  });

  for (const value of ['close', 'close\t', '\tclose', 'CLOSE', 'close, x', 'x ,\tclose\t, y']) {
    it(`Connection: ${JSON.stringify(value)} ends the connection as announced`, async () => {
      const client = await edge.connect();
      const request = getRequest('/livez', `Connection: ${value}\r\n`);
      const [response] = await client.send(request).toEnd();
      assert.equal(response?.headers.connection, 'close');
    });
  }
});
