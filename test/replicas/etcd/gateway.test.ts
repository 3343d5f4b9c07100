import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  encode,
  exists,
  hasValue,
  isAbsent,
  put,
  range,
  remove,
} from '../../../src/replicas/replica/etcd/gateway.ts';
import { Random } from '../../support/random.ts';
import { until } from '../../support/until.ts';
import { SimulatedEtcd } from '../simulation/etcd/gateway.ts';
import { ensureInstalled } from './support/etcd.ts';
import { clusterFor } from './support/running.ts';

ensureInstalled();

/** The number of random requests to compare. */
const REQUESTS = 1_500;

/** A status code of gRPC. */
const FAILED_PRECONDITION = 9;

const KEYS: readonly [string, ...string[]] = ['/a', '/b', '/c/1', '/c/2', '/c/3', '/d'];

/** The responses of etcd and of its simulation to the same request. */
interface Both {
  readonly real: { readonly status: number; readonly json: unknown };
  readonly simulated: { readonly status: number; readonly json: unknown };
}

describe('the simulated etcd', () => {
  it('responds as etcd does to ranges and transactions', { timeout: 120_000 }, async (test) => {
    const { ask, seed, random } = await pair(test);
    for (let i = 0; i < REQUESTS; i++) {
      const [path, body] = random.below(4) === 0 ? rangeOf(random) : txn(random);
      const { real, simulated } = await ask(path, body);
      assert.deepEqual(simulated, real, `seed ${seed}: ${path} ${JSON.stringify(body)}`);
    }
  });

  it('refuses the same requests as etcd', { timeout: 120_000 }, async (test) => {
    const { ask, compact } = await pair(test);
    const puts = (count: number, value: string) =>
      Array.from({ length: count }, (_, i) => put(`/k${i}`, value));
    for (const [path, body] of [
      ['/v3/kv/txn', { success: puts(128, 'x') }],
      ['/v3/kv/txn', { success: puts(129, 'x') }],
      ['/v3/kv/txn', { success: puts(1, 'x'.repeat(1_400_000)) }],
      ['/v3/kv/txn', { success: puts(1, 'x'.repeat(1_700_000)) }],
      ['/v3/kv/txn', { success: [put('/a', '1'), put('/a', '2')] }],
      ['/v3/kv/range', { key: encode('/a'), revision: '1000' }],
      ['/v3/auth/authenticate', { name: 'x', password: 'y' }],
    ] as const) {
      const { real, simulated } = await ask(path, body);
      // The gateways of 3.4 and of later versions differ in the status of this code alone.
      if (codeOf(real.json) !== FAILED_PRECONDITION) {
        assert.equal(simulated.status, real.status, JSON.stringify(body).slice(0, 100));
      }
      assert.equal(codeOf(simulated.json), codeOf(real.json), JSON.stringify(real.json));
    }
    await ask('/v3/kv/txn', { success: [put('/a', '3')] });
    await compact();
    const { real, simulated } = await ask('/v3/kv/range', { key: encode('/a'), revision: '2' });
    assert.deepEqual([simulated.status, codeOf(simulated.json)], [real.status, codeOf(real.json)]);
  });

  it('takes the same transactions as etcd when it is full', async (test) => {
    const { ask, simulation } = await pair(test, ['--quota-backend-bytes=6000000']);
    const large = { success: [put('/a', 'x'.repeat(1_000_000))] };
    while ((await ask('/v3/kv/txn', large)).real.status === 200);
    simulation.isFull = true;
    for (const success of [[put('/b', 'x')], [remove('/a'), put('/b', 'x')], [remove('/a')]]) {
      const { real, simulated } = await ask('/v3/kv/txn', { success });
      assert.deepEqual(
        [simulated.status, codeOf(simulated.json)],
        [real.status, codeOf(real.json)],
      );
    }
  });

  it('sends watches the same events as etcd', { timeout: 120_000 }, async (test) => {
    const { ask, random, watch, compact, revision, seed } = await pair(test);
    // Most of the transactions fail their comparison, and write nothing.
    const writeUntil = async (least: number) => {
      while (revision() < least) await ask(...txn(random));
    };
    await writeUntil(50);
    const both = await watch(40);
    await writeUntil(revision() + 40);
    const { real, simulated } = await both();
    assert.deepEqual(simulated, real, `seed ${seed}`);
    assert(real.length > 20);
    await compact();
    await writeUntil(revision() + 10);
    const late = await (await watch(2))();
    assert.deepEqual(late.simulated, late.real);
  });
});

/** A new etcd, and a simulated one that gets the same requests. */
async function pair(test: TestContext, args: readonly string[] = []) {
  const cluster = await clusterFor(test, { size: 1, args });
  const url = `http://127.0.0.1:${cluster.nodes[0]?.clientPort}`;
  const simulation = new SimulatedEtcd();
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = new Random(seed);
  const post = (path: string, body: string, signal?: AbortSignal) =>
    fetch(`${url}${path}`, { method: 'POST', body, ...(signal && { signal }) });

  async function ask(path: string, body: object): Promise<Both> {
    const text = JSON.stringify(body);
    const response = await post(path, text);
    const reply = simulation.handle(path, text);
    return {
      real: { status: response.status, json: normal(await response.json()) },
      simulated: { status: reply.status, json: normal(JSON.parse(reply.body)) },
    };
  }

  async function compact(): Promise<void> {
    const { revision } = simulation.store;
    await post('/v3/kv/compaction', JSON.stringify({ revision: String(revision) }));
    simulation.store.compact(revision);
  }

  /** Opens two watches; the result ends them, and has the events of each. */
  async function watch(from: number) {
    const request = { ...range('/', '0'), start_revision: String(from), fragment: true };
    const body = JSON.stringify({ create_request: request });
    const ending = new AbortController();
    const lines: string[] = [];
    simulation.watch(body, (line) => lines.push(line));
    const response = await post('/v3/watch', body, ending.signal);
    let text = '';
    let isEnded = false;
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk);
    })()
      .catch(() => {})
      .finally(() => {
        isEnded = true;
      });
    return async () => {
      const simulated = summaryOf(lines.join(''));
      // If etcd sends other events, the comparison shows them.
      await until(
        'as many events of etcd',
        async () => isEnded || summaryOf(text).length >= simulated.length,
      ).catch(() => {});
      ending.abort();
      await reading;
      return { real: summaryOf(text), simulated };
    };
  }

  const revision = () => simulation.store.revision;
  return { ask, compact, watch, revision, random, seed, simulation };
}

/** The messages of a watch: created or canceled, and each event, however they are grouped. */
function summaryOf(text: string): readonly string[] {
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const { created, canceled, compact_revision, events = [] } = JSON.parse(line).result;
      const said = JSON.stringify({ created, canceled, compact_revision });
      return [
        ...(said === '{}' ? [] : [said]),
        ...events.map((each: unknown) => JSON.stringify(normal(each))),
      ];
    });
}

function rangeOf(random: Random): readonly [string, object] {
  const limit = random.below(3);
  const key = random.pick(KEYS);
  return [
    '/v3/kv/range',
    {
      ...(random.below(2) === 0 ? range(key, '/z') : { key: encode(key) }),
      ...(limit > 0 && { limit: String(limit) }),
    },
  ];
}

/** A transaction of the kind that replicas send. */
function txn(random: Random): readonly [string, object] {
  const keys = KEYS.filter(() => random.below(3) === 0);
  const compare = KEYS.filter(() => random.below(4) === 0).map((key) =>
    random.pick<object>([hasValue(key, text(random)), exists(key), isAbsent(key)]),
  );
  const writes = keys.map((key) => {
    if (random.below(3) > 0) return put(key, text(random));
    // A range must have none of the other keys.
    return remove(random.below(2) === 0 && keys.length === 1 ? range(key, '/z') : key);
  });
  return ['/v3/kv/txn', { compare, success: writes }];
}

function text(random: Random): string {
  return random.pick(['', 'x', 'long text', 'é']);
}

function codeOf(json: unknown): unknown {
  return typeof json === 'object' && json !== null && 'code' in json ? json.code : undefined;
}

/**
 * Members of responses that replicas do not read: the node, versions, replaced values, and the
 * revision of each operation of a transaction.
 */
const IGNORED = [
  ...['cluster_id', 'member_id', 'raft_term', 'header'],
  ...['create_revision', 'version', 'deleted', 'lease'],
];

function normal(json: unknown): unknown {
  const revision = typeof json === 'object' && json !== null && 'header' in json && json.header;
  const rest = JSON.parse(
    JSON.stringify(json, (name, value) => (IGNORED.includes(name) ? undefined : value)),
  );
  return revision ? { header: normal(revision), rest } : rest;
}
