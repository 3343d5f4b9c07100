import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { EtcdError } from '../../../../src/replicas/replica/etcd/etcd-error.ts';
import { httpTransport } from '../../../../src/replicas/replica/etcd/transport.ts';

/** The maximum number of connections to one server. */
const MAX_SOCKETS = 64;

/** Where the server ends the connection instead of responding. */
const UNANSWERED = '/unanswered';

async function startServer(test: TestContext, handle: RequestListener) {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => server.close());
  const address = server.address();
  assert(address !== null && typeof address === 'object');
  return { server, port: address.port };
}

const answerMost: RequestListener = ({ url, socket }, response) => {
  if (url === UNANSWERED) socket.destroy();
  else setImmediate(() => response.end());
};

/** The outcome of a failed request that was sent right after others. */
async function outcomeAfter(test: TestContext, port: number, others: number): Promise<string> {
  const transport = httpTransport(`http://127.0.0.1:${port}`);
  test.after(() => transport.close());
  const send = async (path: string) => {
    const { signal } = new AbortController();
    for await (const _ of await transport.post(path, '{}', signal));
  };
  const sent = Array.from({ length: others }, () => send('/'));
  try {
    await send(UNANSWERED);
  } catch (error) {
    await Promise.all(sent);
    assert(error instanceof EtcdError);
    return error.outcome;
  }
  assert.fail('it was answered');
}

it('a request has the token and the JSON', async (test) => {
  const { port } = await startServer(test, async (request, response) => {
    const { method, url, headers } = request;
    const { authorization = null, 'content-type': type } = headers;
    response.end(JSON.stringify([method, url, authorization, type, await text(request)]));
  });
  const transport = httpTransport(`http://127.0.0.1:${port}`);
  test.after(() => transport.close());
  const { signal } = new AbortController();
  for (const token of ['secret', '', undefined]) {
    const answer = await transport.post('/v3/x', '{"é":1}', signal, token);
    assert.equal(answer.statusCode, 200);
    const sent = ['POST', '/v3/x', token || null, 'application/json', '{"é":1}'];
    assert.deepEqual(await json(answer), sent);
  }
});

describe('a request that fails', () => {
  it('says that its URL may need https, if a port with TLS closes the connection', async (test) => {
    const server = createTlsServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    test.after(() => server.close());
    const address = server.address();
    assert(address !== null && typeof address === 'object');
    const url = `http://127.0.0.1:${address.port}`;
    const transport = httpTransport(url);
    test.after(() => transport.close());
    await assert.rejects(transport.post('/', '{}', new AbortController().signal), {
      message: `${url}: socket hang up (if it has TLS, use https://)`,
    });
  });

  it('may have arrived, also if it has waited for a connection of others', async (test) => {
    const { port } = await startServer(test, answerMost);
    for (const others of [0, MAX_SOCKETS]) {
      assert.equal(await outcomeAfter(test, port, others), 'unknown');
    }
  });

  it('has not arrived if there was no connection', async (test) => {
    const { server, port } = await startServer(test, answerMost);
    await new Promise((resolve) => server.close(resolve));
    assert.equal(await outcomeAfter(test, port, 0), 'unreachable');
  });
});
