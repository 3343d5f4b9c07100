import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ServiceProcess } from '../../support/process.ts';
import { VARIANTS } from '../../support/service.ts';
import { LONG } from '../../unit/lib/table/support/random.ts';
import type { Outcome } from './adversaries.ts';
import { requestUntil } from './healthy-client.ts';
import { PRINTS_TURNS, turnsIn } from './turns.ts';

/** How long each service is under load, in seconds. */
const SECONDS = Number(process.env.BOUNDS_SECONDS ?? 600);

/** The heap limits to test, in MiB. */
const HEAPS = [64, 128, 256];

/** The longest acceptable turn of the event loop, in milliseconds, including garbage collection. */
const MAX_TURN_MS = 50;

const ADVERSARIES = fileURLToPath(new URL('adversaries.ts', import.meta.url));

/** The acceptable outcomes of writes. Another client may have deleted the item. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  POST: ['201', '503', '507'],
  PUT: ['200', '404', '503', '507'],
  DELETE: ['204', '503'],
};

for (const variant of VARIANTS) {
  for (const heap of HEAPS) {
    it(`variant ${variant.name} with ${heap} MiB withstands all adversaries for ${SECONDS} s`, {
      skip: !LONG,
    }, async (test) => {
      const options = `--max-old-space-size=${heap} ${PRINTS_TURNS}`;
      const args = ['--port=0', `--variant=${variant.name}`];
      const service = new ServiceProcess(test, args, { NODE_OPTIONS: options });
      const baseUrl = await service.baseUrl();
      let isOver = false;
      // Not in the adversaries' process, which is busy.
      const waits = requestUntil(baseUrl, () => isOver);
      const outcome = await runAdversaries(new URL(baseUrl).port).finally(() => {
        isOver = true;
      });
      const healthy = await waits;
      const died = await Promise.race([service.exit, undefined]);
      assert.equal(died?.stderr, undefined, 'the service is still running');
      const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
      service.signal('SIGUSR2');
      service.signal('SIGTERM');
      const { status, stdout, stderr } = await service.exit;
      const [longest = Number.NaN] = turnsIn(stdout);
      test.diagnostic(JSON.stringify({ ...outcome, healthy, longest }));
      test.diagnostic(
        metrics
          .split('\n')
          .filter((line) => /^todo_(rows|bytes)/.test(line))
          .join(' '),
      );
      assert.deepEqual([status, stderr], [0, '']);
      for (const [method, allowed] of Object.entries(WRITTEN)) {
        const others = Object.keys(outcome.statuses[method] ?? {}).filter(
          (name) => !allowed.includes(name),
        );
        assert.deepEqual(others, [], method);
      }
      assert.deepEqual(healthy.failures, []);
      assert(healthy.max < 1_000, `a healthy client waited ${healthy.max} ms`);
      assert(longest < MAX_TURN_MS, `a turn took ${longest} ms`);
    });
  }
}

async function runAdversaries(port: string): Promise<Outcome> {
  const args = ['--import', 'tsx', ADVERSARIES, port, String(SECONDS)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}
