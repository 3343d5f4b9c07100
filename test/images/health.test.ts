import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Container, docker, HARDENED, imageOf, NODE, run, until } from './docker.ts';

/** The first version of the engine's API that knows a start interval; Docker 25 speaks it. */
const START_INTERVAL_API = 1.44;

const STATUS = '{{.State.Health.Status}}';

async function becomes(container: Container, status: string, withinMs: number): Promise<void> {
  const isSo = async () => (await container.inspect(STATUS)) === status;
  await until(`it is ${status}`, isSo, 50, withinMs);
}

describe('the health of a container', () => {
  it('is found good by the first probe, with the intervals of the image', async () => {
    const container = await Container.start(imageOf('a'), HARDENED);
    try {
      assert.equal(await container.inspect(STATUS), 'starting');
      await becomes(container, 'healthy', 8_000);
    } finally {
      await container.remove();
    }
  });

  it('is found good within a second where the engine knows a start interval', async (test) => {
    const api = await docker('version', '--format', '{{.Server.APIVersion}}');
    const [major, minor] = api.split('.').map(Number);
    if (Number(`${major}.${minor}`) < START_INTERVAL_API)
      return test.skip(
        `the engine speaks API ${api}; start intervals came with ${START_INTERVAL_API}`,
      );
    const flags = ['--health-start-interval=200ms', '--health-start-period=10s'];
    const container = await Container.start(imageOf('a'), [...HARDENED, ...flags]);
    try {
      await becomes(container, 'healthy', 1_500);
    } finally {
      await container.remove();
    }
  });

  describe('with short intervals', () => {
    const flags = ['--health-interval=1s', '--health-retries=2', '--health-start-period=0s'];
    let container: Container;
    before(async () => {
      container = await Container.start(imageOf('b'), [...HARDENED, ...flags]);
    });
    after(() => container.remove());

    it('turns bad when the server hangs, and good again when it goes on', async () => {
      await becomes(container, 'healthy', 10_000);
      await docker('kill', '--signal=STOP', container.id);
      await becomes(container, 'unhealthy', 20_000);
      await docker('kill', '--signal=CONT', container.id);
      await becomes(container, 'healthy', 10_000);
    });
  });

  it('is asked at the port the service is told, and the reason for a bad answer is kept', async () => {
    const flags = ['--env', 'PORT=9000', '--health-interval=1s', '--health-retries=1'];
    const container = await Container.start(imageOf('a'), [...HARDENED, ...flags]);
    try {
      await becomes(container, 'healthy', 10_000);
    } finally {
      await container.remove();
    }
    const noService = await run('docker', [
      'run',
      '--rm',
      ...HARDENED,
      '--entrypoint',
      NODE,
      imageOf('a'),
      '/app/dist/healthcheck.js',
    ]);
    assert.equal(noService.status, 1);
    assert.match(noService.stderr, /^unhealthy: [^\n]*ECONNREFUSED[^\n]*\n$/);
  });
});
