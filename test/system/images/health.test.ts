import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/until.ts';
import { Container, containerFor, docker, HARDENED, imageOf } from './docker.ts';

/** The first API of the engine with start intervals is 1.44 (Docker 25). */
const START_INTERVAL_MINOR = 44;

/** One millisecond. Zero would select the image's start period, in which failures do not count. */
const NO_START_PERIOD = '--health-start-period=1ms';

/** The interval of the first check, and of later checks: healthy within 3 s, with few events. */
const INTERVAL_MS = 2_000;

const STATUS = '{{.State.Health.Status}}';

async function becomes(container: Container, status: string, withinMs: number): Promise<void> {
  const isSo = async () => (await container.inspect(STATUS)) === status;
  await until(`it is ${status}`, isSo, { withinMs });
}

describe('the health of a container', () => {
  it('is reported soon after the start, with the intervals of the image', async (test) => {
    const nanoseconds = await docker(
      ...['image', 'inspect', '--format', '{{printf "%d" .Config.Healthcheck.Interval}}'],
      imageOf('a'),
    );
    assert.equal(Number(nanoseconds), INTERVAL_MS * 1e6, 'the first check comes after an interval');
    const start = performance.now();
    const container = await containerFor(test, imageOf('a'), HARDENED);
    await becomes(container, 'healthy', 8_000);
    test.diagnostic(`healthy ${Math.round(performance.now() - start)} ms after docker run began`);
  });

  it('is reported within a second and a half if it is asked five times a second', async () => {
    const api = await docker('version', '--format', '{{.Server.APIVersion}}');
    const [major = 0, minor = 0] = api.split('.').map(Number);
    const hasStartIntervals = major > 1 || minor >= START_INTERVAL_MINOR;
    const flags = hasStartIntervals
      ? ['--health-start-interval=200ms', '--health-start-period=10s']
      : ['--health-interval=200ms'];
    let isInTime = false;
    // A busy machine can delay any check, so only one of three has to be in time.
    for (let tries = 0; tries < 3 && !isInTime; tries++) {
      const container = await Container.start(imageOf('a'), [...HARDENED, ...flags]);
      isInTime = await becomes(container, 'healthy', 1_500)
        .then(
          () => true,
          () => false,
        )
        .finally(() => container.remove());
    }
    assert(isInTime);
  });

  it('fails when the server hangs, and recovers when it continues', async (test) => {
    const flags = ['--health-interval=1s', '--health-retries=2', NO_START_PERIOD];
    const container = await containerFor(test, imageOf('b'), [...HARDENED, ...flags]);
    await becomes(container, 'healthy', 10_000);
    await docker('kill', '--signal=STOP', container.id);
    await becomes(container, 'unhealthy', 20_000);
    await docker('kill', '--signal=CONT', container.id);
    await becomes(container, 'healthy', 10_000);
  });
});
