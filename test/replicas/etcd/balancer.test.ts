import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../support/folder.ts';
import { VARIANTS } from '../../support/service.ts';
import { EtcdCluster, ensureInstalled } from './support/etcd.ts';
import { startNginx } from './support/nginx.ts';
import { type ReplicaProcess, startReplicas } from './support/replica.ts';
import { Workload } from './support/workload.ts';

/** Longer than nginx keeps an idle connection: see its configuration. */
const DRAIN_DELAY_MS = 1_500;

/** Black-box tests that fail because of nginx itself. */
const FAILS_BEHIND_NGINX = [
  // nginx consumes X-Accel-Buffering.
  'have the status and type of HEAD, too',
  'are accepted if the name is _',
  // nginx rejects a % without digits.
  'rejects a text that is not an id of this variant',
  // nginx responds to TRACE and OPTIONS * itself.
  'can read every response',
  'is announced by Accept-Patch',
  'are /api/todos, with these methods',
  'are /api/todos/1, with these methods',
  'are /api/todos/batch, with these methods',
  'are /api/todos/events, with these methods',
  'are /livez, with these methods',
  'are /readyz, with these methods',
  'returns all methods for OPTIONS *, and 404 for OPTIONS of an unknown path',
];

describe('three replicas behind nginx', { concurrency: true }, () => {
  let cluster: EtcdCluster;
  before(async () => {
    ensureInstalled();
    cluster = await EtcdCluster.start();
  });
  after(() => cluster.stop());

  for (const variant of VARIANTS) {
    const name = variant.name.toUpperCase();
    it(`pass the black-box tests of variant ${name}, except where nginx interferes`, async (test) => {
      const replicas = await startReplicas(cluster, 3, {
        VARIANT: variant.name,
        ETCD_PREFIX: `/api-${name}/`,
      });
      const nginx = await startNginx(replicas, cluster.directory);
      test.after(() => endAll(replicas, nginx));
      const through = await blackBox(name, nginx.baseUrl);
      assert(through.passed.length > 100, 'hundreds of tests ran');
      assert.deepEqual(
        through.failed.filter((name) => !FAILS_BEHIND_NGINX.includes(name)),
        [],
      );
      // The other tests run against one replica directly.
      const hidden = await blackBox(name, replicas[0]?.baseUrl ?? '', through.failed);
      assert.deepEqual(hidden, { passed: through.failed, failed: [] });
    });
  }

  it('are restarted one by one without a failed request', async (test) => {
    const replicas = await startReplicas(cluster, 3, {
      ETCD_PREFIX: '/rolling/',
      DRAIN_DELAY_MS: String(DRAIN_DELAY_MS),
      // Only replicas stop here. On a busy machine, etcd may take seconds.
      STORE_TIMEOUT_MS: '25000',
    });
    const nginx = await startNginx(replicas, cluster.directory);
    test.after(() => endAll(replicas, nginx));
    const workload = new Workload([nginx.baseUrl]);
    test.after(() => workload.stop());
    workload.start(12);
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

/**
 * The names of the black-box tests that pass against a service, and of the tests that fail.
 * @param only the names of the tests to run; all, if it is absent
 */
async function blackBox(variant: string, url: string, only?: readonly string[]) {
  const files = readdirSync(`${ROOT}test/api`).filter((name) => name.endsWith('.test.ts'));
  const patterns = only?.map((name) => `--test-name-pattern=${escaped(name)}$`) ?? [];
  // In one process: to start one for each file takes longer than its tests.
  const imports = files.map((name) => `import './test/api/${name}';`).join('');
  const args = ['--import', 'tsx', '--test-reporter=tap', ...patterns];
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const suite = spawn(process.execPath, [...args, '--input-type=module', '--eval', imports], {
    cwd: ROOT,
    env: { ...env, [`BASE_URL_${variant}`]: url },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  suite.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  await once(suite, 'close');
  // A name may have several lines.
  const names = (result: string) =>
    [...output.matchAll(new RegExp(`^ {4}${result} \\d+ - ([^]*?)\\n +---$`, 'gm'))]
      .map(([, name = '']) => name)
      .filter((name) => !name.includes(' # SKIP'));
  return { passed: names('ok'), failed: names('not ok') };
}

/** A regular expression for a text as it is. */
function escaped(text: string): string {
  return text.replaceAll(/[^\w ]/g, '\\$&');
}
