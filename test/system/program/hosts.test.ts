import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { ServiceProcess } from '../../support/process.ts';
import { happens } from '../../support/within.ts';

/** An address of this machine that is neither 127.0.0.1 nor ::1. */
const OTHER = '127.0.0.2';

/** Whether something accepts connections at an address. */
async function isOpen(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await happens(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Occupies a port until the test ends; undefined if the machine does not have the address. */
async function occupied(test: TestContext, host: string): Promise<number | undefined> {
  const server = createServer();
  test.after(() => server.close());
  try {
    await happens(server.listen(0, host), 'listening');
  } catch {
    return undefined;
  }
  const address = server.address();
  return typeof address === 'object' ? address?.port : undefined;
}

async function portOf(service: ServiceProcess): Promise<number> {
  return Number(new URL(await service.baseUrl()).port);
}

describe('a service without HOST', () => {
  it('listens on both loopback addresses and no other, at the same port', async (test) => {
    const hasIPv6 = (await occupied(test, '::1')) !== undefined;
    const service = new ServiceProcess(test, ['--port=0']);
    const port = await portOf(service);
    assert.deepEqual(
      [await isOpen('127.0.0.1', port), await isOpen('::1', port), await isOpen(OTHER, port)],
      [true, hasIPv6, false],
    );
    service.signal('SIGTERM');
    const { status, stdout } = await service.exit;
    assert.equal(status, 0);
    assert.match(stdout, /"message":"listening","address":"localhost"/);
    assert.deepEqual([await isOpen('127.0.0.1', port), await isOpen('::1', port)], [false, false]);
  });

  for (const [host, setting] of [
    ['127.0.0.1', 'PORT'],
    ['::1', '--port'],
  ] as const) {
    it(`does not start if its port, set by ${setting}, is in use at ${host}`, async (test) => {
      const port = await occupied(test, host);
      if (port === undefined) {
        test.skip(`this machine has no ${host}`);
        return;
      }
      const isFlag = setting === '--port';
      const service = isFlag
        ? new ServiceProcess(test, [`--port=${port}`])
        : new ServiceProcess(test, [], { PORT: `${port}` });
      const { status, stderr } = await service.exit;
      const next = port === 65_535 ? 1 : port + 1;
      assert.equal(
        stderr,
        `todo-service: port ${port} on localhost is in use; choose another one, such as --port ${next}\n`,
      );
      assert.equal(status, 1);
    });
  }
});

describe('all interfaces', () => {
  for (const env of [{ HOST: '*' }, { HOST: '', IMAGE_HOST: '*' }]) {
    it(`are listened on with ${JSON.stringify(env)}, and any Host is served`, async (test) => {
      const port = await portOf(new ServiceProcess(test, ['--port=0'], env));
      assert(await isOpen(OTHER, port));
      const socket = connect({ host: '127.0.0.1', port }).setEncoding('latin1');
      socket.write('GET /livez HTTP/1.1\r\nHost: abc.example\r\n\r\n');
      const [head] = await happens(socket, 'data');
      assert.match(head, /^HTTP\/1\.1 200 /);
      socket.destroy();
    });
  }

  it('are not listened on if HOST names a loopback address', async (test) => {
    const env = { HOST: '127.0.0.1', IMAGE_HOST: '*' };
    assert(!(await isOpen(OTHER, await portOf(new ServiceProcess(test, ['--port=0'], env)))));
  });
});
