import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, clientFor } from '../../support/client.ts';
import { ROOT, temporaryFolder } from '../../support/folder.ts';
import { itemPath, LIST } from '../../support/paths.ts';
import { freePorts } from '../../support/ports.ts';
import { startApp, VARIANTS } from '../../support/service.ts';

/** Tests the metrics with a real Prometheus. Needs `prometheus` and `promtool`. */

const isThere = ['prometheus', 'promtool'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
);
const skip = !isThere && process.env.CI !== 'true' && 'prometheus is not installed';

const DURATION = 'http_server_request_duration_seconds';

/** How often Prometheus scrapes, in milliseconds. */
const SCRAPE_MS = 500;

/** How long a query may take to return a value, in milliseconds. */
const KNOWN_MS = 30_000;

/** Makes requests of several kinds: hits, misses, invalid ones. */
async function use(client: Client): Promise<void> {
  for (let i = 0; i < 20; i++) await client.post(LIST, { title: `todo ${i}` });
  for (let i = 0; i < 10; i++) await client.get(`${LIST}?search=todo`);
  await client.get(itemPath(999));
  await client.post(LIST, {});
  await client.get('/none"such\\');
  await client.request('BREW', LIST).catch(() => {});
}

for (const variant of VARIANTS) {
  describe(`metrics of variant ${variant.name.toUpperCase()}`, { skip }, () => {
    it('pass promtool without a complaint', async (test) => {
      const { client } = await startApp(test, variant);
      await use(client);
      const { text } = await client.get('/metrics');
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
        input: text,
        encoding: 'utf8',
      });
      assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
    });

    it('can be scraped and queried', async (test) => {
      const { client, port } = await startApp(test, variant);
      await use(client);
      const ask = await prometheusFor(test, `127.0.0.1:${port}`);
      for (const [query, value] of [
        ['up', 1],
        ['todo_rows', 20],
        [`${DURATION}_count{http_request_method="POST",http_response_status_code="201"}`, 20],
        [`sum(${DURATION}_count{http_response_status_code=~"4.."})`, 4],
        [`histogram_quantile(0.99, sum by (le) (${DURATION}_bucket)) < 10`, undefined],
        ['time() - process_start_time_seconds < 3600', undefined],
      ] as const) {
        const got = await ask(query);
        assert(Number.isFinite(got), `${query}: ${got}`);
        if (value !== undefined) assert.equal(got, value, query);
      }
    });
  });
}

type Series = readonly (readonly [name: string, values: string])[];

const REFUSED = 'todo_requests_refused_total';
const CUT = 'todo_connections_cut_total';

/** A service that has nothing to report. */
const NORMAL: Series = [
  [`${REFUSED}{reason="items"}`, '0x30'],
  [`${CUT}{reason="unread"}`, '0x30'],
  [`${DURATION}_count{http_response_status_code="200"}`, '0+60x30'],
  [`${DURATION}_count{http_response_status_code="404"}`, '0+60x30'],
  ['nodejs_eventloop_utilization_ratio{}', '0.5x30'],
  ['todo_open_connections{}', '100x30'],
  ['v8js_memory_heap_limit_bytes{}', '100x30'],
];

/** Each alert, with the labels of what fires, and the series for which it does. */
const ALERTS: readonly (readonly [string, string, Readonly<Record<string, string>>, Series])[] = [
  [
    'TodoServiceRefuses',
    'while another reason is quiet',
    { reason: 'permits' },
    [[`${REFUSED}{reason="permits"}`, '0+50x30']],
  ],
  [
    'TodoServiceCuts',
    'while no request is refused',
    { reason: 'idle' },
    [
      [`${CUT}{reason="idle"}`, '0+50x30'],
      [`${REFUSED}{reason="connections"}`, '0x30'],
    ],
  ],
  [
    'TodoServiceCuts',
    'for a reason that refusals have, too',
    { reason: 'connections' },
    [
      [`${CUT}{reason="connections"}`, '0+50x30'],
      [`${REFUSED}{reason="connections"}`, '0x30'],
    ],
  ],
  [
    'TodoServiceFails',
    'with 507',
    { http_response_status_code: '507' },
    [[`${DURATION}_count{http_response_status_code="507"}`, '0+1x30']],
  ],
  [
    'TodoServiceNearlyOutOfMemory',
    'above nine tenths',
    {},
    [['v8js_memory_heap_used_bytes{}', '91x30']],
  ],
];

describe('the rules of docs/operations.md', { skip }, () => {
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const [, rules = ''] = /```yaml\n(groups:\n[^`]+)```/.exec(page) ?? [];
  const expressions = new Map(
    [...rules.matchAll(/alert: (\w+).*\n\s+expr: (.+)/g)].map(([, name, expr]) => [name, expr]),
  );
  const exprOf = (name: string) => expressions.get(`TodoService${name}`) ?? assert.fail(name);

  it('pass promtool', () => {
    const file = join(temporaryFolder(), 'rules.yml');
    writeFileSync(file, rules);
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /6 rules found/);
  });

  for (const [alert, title, labels, series] of ALERTS) {
    it(`fire, and only these: ${alert}, ${title}`, () => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'rules.yml'), rules);
      const firing = [{ exp_labels: { alertname: alert, instance: 'a', ...labels } }];
      const tests = [...expressions.keys()].map((alertname) => {
        return { alertname, eval_time: '20m', exp_alerts: alertname === alert ? firing : [] };
      });
      const input_series = [...NORMAL, ...series].map(([name, values]) => {
        return { series: name.replace('{', '{instance="a",'), values };
      });
      const test = { interval: '1m', input_series, alert_rule_test: tests };
      const file = join(folder, 'test.yml');
      // JSON is YAML.
      writeFileSync(file, JSON.stringify({ rule_files: ['rules.yml'], tests: [test] }));
      const run = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
      assert.equal(run.status, 0, run.stdout + run.stderr);
    });
  }

  it('find responses with 5xx, and measure the heap, the event loop and connections', async (test) => {
    const env = { FAULTS: '[{"path": "/fails", "status": 500}]' };
    const { client, port } = await startApp(test, VARIANTS[0] ?? assert.fail(), { env });
    const ask = await prometheusFor(test, `127.0.0.1:${port}`);
    assert((await ask(exprOf('NearlyOutOfMemory').replace(' > 0.9', ''))) < 0.9);
    assert((await ask(exprOf('Busy').replace(' > 0.9', ''))) <= 1);
    assert((await ask(exprOf('NearlyOutOfConnections').replace(' > 8000', ''))) >= 1);
    // Every reason is there from the start, so that its first increase counts.
    for (const name of ['Refuses', 'Cuts']) {
      const reasons = exprOf(name).replace(' > 0', ' == 0').replace('5m', '5s');
      assert.equal(await ask(`count(${reasons}) > bool 3`), 1, name);
    }
    let isKnown = false;
    const known = ask(exprOf('Fails')).finally(() => {
      isKnown = true;
    });
    while (!isKnown) {
      await client.get('/fails');
      await sleep(100);
    }
    assert((await known) > 0);
  });
});

/** Runs a Prometheus that scrapes one target; the returned function evaluates a query. */
async function prometheusFor(
  test: TestContext,
  target: string,
): Promise<(query: string) => Promise<number>> {
  const folder = temporaryFolder();
  const job = { job_name: 'todo-service', static_configs: [{ targets: [target] }] };
  const times = { scrape_interval: `${SCRAPE_MS}ms`, scrape_timeout: `${SCRAPE_MS}ms` };
  // JSON is YAML.
  const config = JSON.stringify({ global: times, scrape_configs: [job] });
  writeFileSync(join(folder, 'prometheus.yml'), config);
  const [port = 0] = await freePorts(1);
  const prometheus = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  test.after(async () => {
    const ended = once(prometheus, 'exit');
    prometheus.kill();
    await ended;
  });

  const client = clientFor(test, `http://127.0.0.1:${port}`);
  return async (query) => {
    const path = `/api/v1/query?query=${encodeURIComponent(query)}`;
    const deadline = performance.now() + KNOWN_MS;
    for (;;) {
      const answer = await client.get(path).catch(() => undefined);
      const value = answer?.status === 200 ? firstValue(answer.json()) : undefined;
      if (value !== undefined) return value;
      if (performance.now() > deadline) throw new Error(`${query}: ${answer?.text}`);
      await sleep(100);
    }
  };
}

/** A response of Prometheus' query API, as far as it is used here. */
interface Answer {
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}

function firstValue({ data }: Answer): number | undefined {
  const text = data.result[0]?.value[1];
  return text === undefined ? undefined : Number(text);
}
