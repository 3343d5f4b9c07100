import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertProblem } from '../api/suite.ts';
import { Client } from '../support/client.ts';
import { freePorts } from '../support/ports.ts';
import { behind, isCommit, storedTitles } from './support/behind.ts';
import { ensureInstalled } from './support/etcd.ts';
import { Intermediary, type Policy, type Reply } from './support/intermediary.ts';
import { ReplicaProcess } from './support/replica.ts';
import { clusterFor, titles, until } from './support/running.ts';

ensureInstalled();

/** What clients were told about their creates. */
interface Told {
  readonly done: readonly string[];
  readonly notDone: readonly string[];
  readonly unknown: readonly string[];
}

/** Creates items one after the other, each with its own title. */
async function createAll(client: Client, prefix: string, count: number): Promise<Told> {
  const told = { done: [] as string[], notDone: [] as string[], unknown: [] as string[] };
  for (let i = 0; i < count; i++) {
    const title = `${prefix}${i}`;
    const answer = await client.post('/api/todos', { title });
    if (answer.status === 201) told.done.push(title);
    else {
      const { code } = answer.json<{ code: string }>();
      assert(code === 'store-unavailable' || code === 'outcome-unknown', answer.text);
      (code === 'outcome-unknown' ? told.unknown : told.notDone).push(title);
    }
  }
  return told;
}

/** Asserts that what clients were told is what happened. */
function assertTrue({ done, notDone, unknown }: Told, stored: readonly string[]): void {
  const timesOf = (title: string) => stored.filter((each) => each === title).length;
  for (const title of done) assert.equal(timesOf(title), 1, `${title} was acknowledged`);
  for (const title of notDone) assert.equal(timesOf(title), 0, `${title} had not happened`);
  for (const title of unknown) assert(timesOf(title) <= 1, `${title} happened more than once`);
}

/** Sends each of some transactions twice; either response may come back. */
const twice =
  (isChosen: (count: number) => boolean): Policy =>
  async (path, body, forward) => {
    if (!isCommit(path, body) || !isChosen(count++)) return forward();
    await forward();
    return forward();
  };
let count = 0;

describe('a replica behind an intermediary', () => {
  it('creates each item once if each transaction is sent twice', async (test) => {
    const { intermediary, client, cluster, replica } = await behind(test);
    intermediary.policy = twice(() => true);
    await replica.ready();
    const told = await createAll(client, 't', 40);
    assertTrue(told, await storedTitles(cluster));
    assert.equal(told.done.length, 40);
    assert.equal((await titles(client)).length, 40);
  });

  it('creates each item once if one transaction in five is sent twice', async (test) => {
    const { intermediary, client, cluster, replica } = await behind(test);
    await replica.ready();
    intermediary.policy = twice((n) => n % 5 === 0);
    const told = await createAll(client, 't', 100);
    assertTrue(told, await storedTitles(cluster));
    assert.equal(told.done.length, 100);
    assert.equal((await titles(client)).length, 100);
  });

  it('tells the truth if transactions are sent twice and lost, beside another', async (test) => {
    const { intermediary, client, cluster, replica, another } = await behind(test);
    await replica.ready();
    const other = await another();
    const again = twice(() => true);
    let n = 0;
    intermediary.policy = async (path, body, forward) => {
      const reply = await again(path, body, forward);
      return isCommit(path, body) && n++ % 3 === 0 ? 'reset' : reply;
    };
    const all = await Promise.all([
      createAll(client, 'a', 40),
      createAll(client, 'b', 40),
      createAll(other, 'c', 40),
    ]);
    const stored = await storedTitles(cluster);
    for (const told of all) assertTrue(told, stored);
    assert(all.reduce((sum, { done }) => sum + done.length, 0) > 100);
  });

  const replies: readonly Reply[] = [
    ...['{}', '[]', '"ok"', '{"header":{}}', 'null', '{"succeeded":"yes"}', '{"succeeded":true}']
      .concat('', '<html>Log in', '{"header":{"revision":"9"},"succeeded":true}')
      .map((body) => ({ status: 200, body })),
    { status: 301, body: '' },
    { status: 404, body: 'Not Found' },
    { status: 413, body: '<html>Too large</html>' },
    { status: 429, body: 'Slow down' },
    { status: 502, body: '<html>Bad gateway</html>' },
  ];
  it('tells the truth whatever comes instead of an answer', { timeout: 300_000 }, async (test) => {
    const { intermediary, client, cluster, replica } = await behind(test, {
      STORE_TIMEOUT_MS: '500',
    });
    await replica.ready();
    // All of them are told, not only the first one.
    const wrong: string[] = [];
    for (const [index, reply] of replies.entries()) {
      for (const isDone of [true, false]) {
        intermediary.policy = async (path, body, forward) => {
          if (!isCommit(path, body)) return forward();
          if (isDone) await forward();
          return reply;
        };
        const title = `${index} ${isDone}`;
        const told = await createAll(client, title, 2);
        const stored = await storedTitles(cluster);
        try {
          assertTrue(told, stored);
          assert.equal(told.notDone.length, 0, 'it was said not to have happened');
          if (!isDone) assert.equal(told.done.length, 0, 'it was acknowledged');
        } catch (error) {
          wrong.push(`${JSON.stringify(reply)} ${isDone}: ${JSON.stringify(told)}: ${error}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('does not know the outcome if an attempt is still on its way', async (test) => {
    const { intermediary, client, cluster, replica } = await behind(test, {
      STORE_TIMEOUT_MS: '3000',
    });
    await replica.ready();
    let late: (() => Promise<Reply>) | undefined;
    const exhausted = { error: 'x', message: 'etcdserver: mvcc: database space exceeded', code: 8 };
    intermediary.policy = async (path, body, forward) => {
      if (!isCommit(path, body)) return forward();
      if (late !== undefined) return { status: 429, body: JSON.stringify(exhausted) };
      late = forward;
      await sleep(2_500);
      return 'reset';
    };
    const told = await createAll(client, 't', 1);
    await late?.();
    assertTrue(told, await storedTitles(cluster));
    assert.deepEqual(told.unknown, ['t0']);
  });

  it('gives up watches that never say that they were created', async (test) => {
    const { intermediary, replica } = await behind(test);
    let hidden = 0;
    intermediary.hidesWatch = () => hidden++ < 2;
    await replica.ready(20_000);
    assert(hidden > 2);
  });

  it('resets to a seed of 100,000 while others read', { timeout: 300_000 }, async (test) => {
    const seedFile = join(process.env.TMPDIR ?? '/tmp', `seed-${process.pid}.json`);
    writeFileSync(
      seedFile,
      JSON.stringify(Array.from({ length: 100_000 }, () => ({ title: 's' }))),
    );
    const { client, replica, another } = await behind(test, {
      SEED_FILE: seedFile,
      MAX_ROWS: '200000',
    });
    await replica.ready(120_000);
    const other = await another();
    assert.equal((await client.post('/api/todos', { title: 'more' })).status, 201);
    let isOver = false;
    const seen = new Map<string, number>();
    const watching = [client, other].map(async (each) => {
      while (!isOver) {
        const [list, ready] = [await each.get('/api/todos?limit=0'), await each.get('/readyz')];
        const key = `${list.status} ${list.headers['x-total-count']} ${ready.status}`;
        seen.set(key, (seen.get(key) ?? 0) + 1);
        await sleep(5);
      }
    });
    const start = performance.now();
    const headers = { authorization: 'Bearer secret' };
    const reset = await client.request('POST', '/admin/reset', { headers });
    const took = performance.now() - start;
    await sleep(500);
    isOver = true;
    await Promise.all(watching);
    test.diagnostic(`${reset.status} ${reset.text} in ${took} ms; ${JSON.stringify([...seen])}`);
    assert.equal(reset.status, 204);
    assert.deepEqual([...seen.keys()].sort(), ['200 100000 200', '200 100001 200']);
  });

  it('backs off when its password is wrong', async (test) => {
    let logins = 0;
    const cluster = await clusterFor(test, { size: 1 });
    await cluster.ctl('user', 'add', 'root:secret');
    await cluster.ctl('role', 'add', 'root').catch(() => {});
    await cluster.ctl('user', 'grant-role', 'root', 'root');
    await cluster.ctl('auth', 'enable');
    const intermediary = new Intermediary(cluster.nodes[0]?.clientPort ?? 0);
    test.after(() => intermediary.close());
    intermediary.policy = (path, _body, forward) => {
      if (path === '/v3/auth/authenticate') logins++;
      return forward();
    };
    const passwordFile = join(cluster.directory, 'password');
    writeFileSync(passwordFile, 'wrong');
    const [port = 0] = await freePorts(1);
    const replica = new ReplicaProcess(port, join(cluster.directory, 'log'), {
      ETCD_ENDPOINTS: await intermediary.listen(),
      ETCD_USER: 'root',
      ETCD_PASSWORD_FILE: passwordFile,
    });
    replica.program.start();
    test.after(() => replica.program.end());
    const client = new Client(replica.baseUrl);
    test.after(() => client.close());
    await until('it is alive', async () =>
      client.get('/livez').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    const deadline = performance.now() + 15_000;
    while (performance.now() < deadline) {
      assertProblem(await client.get('/api/todos'), 503, 'store-unavailable');
      await sleep(100);
    }
    test.diagnostic(`${logins} logins\n${readFileSync(join(cluster.directory, 'log'), 'utf8')}`);
    assert(logins <= 12, `${logins} logins`);
  });
});
