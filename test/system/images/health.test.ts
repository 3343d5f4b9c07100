import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/until.ts';
import { type Container, containerFor, docker, HARDENED, imageOf } from './docker.ts';

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
