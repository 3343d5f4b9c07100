import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { pretendToBe } from '../../support/pretend.ts';
import { ServiceProcess, UNCOUNTED } from '../../support/process.ts';
import { rawClientFor } from '../../support/raw.ts';
import { getRequest } from '../../support/raw-requests.ts';

describe('the service does not start', () => {
  for (const [runtime, version, message] of [
    ['bun', '1.0.0', 'Bun is not supported; run it with Node'],
    ['deno', '1.0.0', 'Deno is not supported; run it with Node'],
  ] as const) {
    it(`in ${runtime} ${version}`, async (test) => {
      const env = { NODE_OPTIONS: pretendToBe(runtime, version) };
      const { status, stdout, stderr } = await new ServiceProcess(test, ['--port=0'], env).exit;
      assert.equal(stderr, `todo-service: ${message}\n`);
      assert.deepEqual([status, stdout], [2, '']);
    });
  }

  it('in a Node with other internals', async (test) => {
    const other = `
      import { ServerResponse } from 'node:http';
      const { on } = ServerResponse.prototype;
      ServerResponse.prototype.on = function (name, ...rest) {
        return name === 'finish' ? this : on.call(this, name, ...rest);
      };
      Object.defineProperty(process, 'version', { value: 'v99.0.0' });
    `;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(other)}` };
    const { status, stdout, stderr } = await new ServiceProcess(test, ['--port=0'], env).exit;
    const message = 'Node v99.0.0 is not supported, because it changes finish';
    assert.equal(stderr, `todo-service: ${message}\n`);
    assert.deepEqual([status, stdout], [2, '']);
  });

  it('as a worker of a cluster, whose lists would differ', async () => {
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
