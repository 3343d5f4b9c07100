import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { ServiceProcess, UNCOUNTED } from '../../support/process.ts';
import { RawClient, rawClientFor, statusesOf } from '../../support/raw.ts';
import { createRequest, getRequest } from '../../support/raw-requests.ts';

it('the service does not start as a worker of a cluster, whose lists would differ', async () => {
  const program = `
      const cluster = require('node:cluster');
      cluster.setupPrimary({ exec: 'dist/main.js', execArgv: [], args: ['--port=0'] });
      cluster.fork().on('exit', (status) => process.exit(status));
    `;
  const env = { ...process.env, ...UNCOUNTED };
  const failure = promisify(execFile)(process.execPath, ['-e', program], { env });
  const { code, stderr } = await failure.then(
    () => assert.fail('it started'),
    (error) => error,
  );
  assert.match(stderr, /^todo-service: each worker of a cluster .+\n$/);
  assert.equal(code, 2);
});

it('in a Node that releases responses in another way, the service responds by its documented interface', async (test) => {
  const other = `
    import { ServerResponse } from 'node:http';
    const { emit } = ServerResponse.prototype;
    ServerResponse.prototype.emit = function (name, ...rest) {
      return name === 'finish' && !this.writableEnded ? false : emit.call(this, name, ...rest);
    };
  `;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(other)}` };
  const port = Number(new URL(await new ServiceProcess(test, ['--port=0'], env).baseUrl()).port);
  const client = await RawClient.connect(port);
  const requests = [
    createRequest(),
    getRequest('/api/todos/1'),
    getRequest('/api/todos/1').replace('GET', 'HEAD'),
    getRequest('/api/todos'),
    getRequest('/none'),
    getRequest('/api/todos/1').replace('GET', 'DELETE'),
  ];
  const seen: unknown[] = [];
  for (const request of requests) {
    const response = await client.send(request).next(!request.startsWith('HEAD'));
    seen.push([response?.status, response?.headers.connection]);
  }
  const statuses = [201, 200, 200, 200, 404, 204];
  assert.deepEqual(
    seen,
    statuses.map((status) => [status, 'keep-alive']),
  );
  client.send(getRequest('/api/todos') + getRequest('/livez', 'Connection: close\r\n'));
  assert.deepEqual(statusesOf(await client.toEnd()), [200, 200]);
  assert.equal(await client.ended, 'closed');
});

it('options of Node make the parser of requests no more lenient', async (test) => {
  const env = { NODE_OPTIONS: '--insecure-http-parser' };
  const port = Number(new URL(await new ServiceProcess(test, ['--port=0'], env).baseUrl()).port);
  const post = 'POST /api/todos HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  for (const request of [
    `${post}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'GET /livez HTTP/1.1\nHost: localhost\n\n',
    getRequest('/livez', 'X: a\r\n b\r\n'),
  ]) {
    const client = await rawClientFor(test, port);
    assert.equal((await client.send(request).next())?.status, 400, request);
  }
});
