import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EtcdCluster, ensureInstalled } from './support/etcd.ts';
import { startNginx } from './support/nginx.ts';
import { type ReplicaProcess, startReplicas } from './support/replica.ts';
import { Workload } from './support/workload.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Longer than nginx keeps an idle connection: see its configuration. */
const DRAIN_DELAY_MS = 1_500;

/** Black-box tests that fail because of nginx itself. */
const FAILS_BEHIND_NGINX = new Set([
  // nginx sets Connection itself.
  'accepts 64 KiB and rejects one byte more',
  // nginx consumes X-Accel-Buffering.
  'are only for clients that accept them',
  // nginx rejects a % without digits.
  'rejects what is not an id of this variant',
  // nginx responds to TRACE and OPTIONS * itself.
  'are /api/todos, with these methods',
  'are /api/todos/1, with these methods',
  'are /api/todos/batch, with these methods',
  'are /api/todos/events, with these methods',
  'are /livez, with these methods',
  'are /readyz, with these methods',
  'says with every answer of the path what it takes',
  'returns 405 with Allow for other methods on known paths',
  'returns all methods for OPTIONS *',
]);

describe('three replicas behind nginx', () => {
  let cluster: EtcdCluster;
  before(async () => {
    ensureInstalled();
    cluster = await EtcdCluster.start();
  });
  after(() => cluster.stop());

  it('pass the black-box tests, except where nginx interferes', async (test) => {
    const urls: Record<string, string> = {};
    const own: Record<string, string> = {};
    for (const variant of ['A', 'B']) {
      const replicas = await startReplicas(cluster, 3, {
        VARIANT: variant.toLowerCase(),
        ETCD_PREFIX: `/api-${variant}/`,
      });
      const nginx = await startNginx(replicas, cluster.directory);
      test.after(() => endAll(replicas, nginx));
      urls[`BASE_URL_${variant}`] = nginx.baseUrl;
      own[`BASE_URL_${variant}`] = replicas[0]?.baseUrl ?? '';
    }
    const through = await failuresOf(urls);
    assert.deepEqual(
      through.filter((name) => !FAILS_BEHIND_NGINX.has(name)),
      [],
    );
    // What nginx hides is tested on one replica directly.
    const hidden = /^(body|contract|events|get-delete|http|query)\.test\.ts$/;
    assert.deepEqual(await failuresOf(own, hidden), []);
  });

  it('are restarted one by one without a failed request', async (test) => {
    const replicas = await startReplicas(cluster, 3, {
      ETCD_PREFIX: '/rolling/',
      DRAIN_DELAY_MS: String(DRAIN_DELAY_MS),
    });
    const nginx = await startNginx(replicas, cluster.directory);
    test.after(() => endAll(replicas, nginx));
    const workload = new Workload([nginx.baseUrl]);
    await workload.start(12);
    for (const replica of replicas) {
      assert.equal(await replica.program.end('SIGTERM'), 0);
      replica.program.start();
      await replica.ready();
      await sleep(200);
    }
    const { counts, refusals } = workload;
    await workload.finish();
    test.diagnostic(JSON.stringify(counts));
    assert.deepEqual([...refusals], []);
  });
});

async function endAll(
  replicas: readonly ReplicaProcess[],
  nginx: Awaited<ReturnType<typeof startNginx>>,
): Promise<void> {
  await nginx.program.end('SIGTERM');
  await Promise.all(replicas.map(({ program }) => program.end()));
}

/** The names of the black-box tests that fail against running services. */
async function failuresOf(
  urls: Readonly<Record<string, string>>,
  which = /\.test\.ts$/,
): Promise<readonly string[]> {
  const files = readdirSync(`${ROOT}test/api`).filter((name) => which.test(name));
  const args = ['--import', 'tsx', '--test', '--test-reporter=tap'];
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const suite = spawn(process.execPath, [...args, ...files.map((name) => `test/api/${name}`)], {
    cwd: ROOT,
    env: { ...env, ...urls },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  suite.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  await once(suite, 'close');
  assert.match(output, /^# pass [1-9]\d\d+$/m, 'hundreds of tests ran');
  return [...output.matchAll(/^ {4}not ok \d+ - (.*)$/gm)].map(([, name = '']) => name);
}
