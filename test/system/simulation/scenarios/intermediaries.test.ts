import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { MAX_WRITERS } from '../../../../src/lib/replica/stored/commit-head.ts';
import { create, titles } from '../../../support/items.ts';
import { bodyOf, type Reply, type SimulatedEtcd } from '../etcd/gateway.ts';
import { GARBAGE } from '../network/network-faults.ts';
import type { SimulatedReplica } from '../service/replica.ts';
import { assertTrue, createAll } from './outcomes.ts';
import { intercept, isCommit, simulated, startTwo, storedTitles } from './stage.ts';

const EXHAUSTED: Reply = {
  status: 429,
  body: bodyOf({ message: 'etcdserver: mvcc: database space exceeded', code: 8 }),
};

const DENIED: Reply = {
  status: 403,
  body: bodyOf({ message: 'etcdserver: permission denied', code: 7 }),
};

interface Scene {
  readonly replica: SimulatedReplica;
  readonly etcd: SimulatedEtcd;
}

describe('a replica behind an intermediary', () => {
  for (const answered of [0, 1]) {
    const which = answered === 0 ? 'first' : 'second';
    simulated(
      `creates each item once if it sends all twice, and responds to the ${which}`,
      async (all) => {
        const replica = all.start();
        intercept(replica, (path, body) =>
          isCommit(path, body) ? { arrivals: [0, 5], answered } : undefined,
        );
        const outcomes = await createAll(replica, 't', 40);
        assertTrue(storedTitles(all.etcd), outcomes);
        assert.equal(outcomes.done.length, 40);
        assert.equal((await titles(replica)).length, 40);
      },
    );
  }

  simulated(
    'states the true outcome if all is sent twice and lost, with two replicas',
    async (all) => {
      const [a, b] = await startTwo(all);
      let count = 0;
      intercept(a, (path, body) => {
        if (!isCommit(path, body)) return undefined;
        return ++count % 3 === 0 ? { arrivals: [0, 3], response: 'reset' } : { arrivals: [0, 3] };
      });
      const outcomes = await Promise.all([
        createAll(a, 'a', 40),
        createAll(a, 'b', 40),
        createAll(b, 'c', 40),
      ]);
      for (const each of outcomes) assertTrue(storedTitles(all.etcd), each);
      assert(outcomes.reduce((sum, { done }) => sum + done.length, 0) > 100);
    },
  );

  // It has the shape of the answer to another transaction.
  const foreign: Reply = { status: 200, body: '{"header":{"revision":"9"},"succeeded":true}' };
  for (const reply of [...GARBAGE, foreign]) {
    simulated(
      `states the true outcome if it answers ${reply.status} ${reply.body}`,
      async (all) => {
        const settings = { timeoutMs: 500 };
        const [replica, other] = [all.start({ settings }), all.start()];
        await all.ready();
        for (const isDone of [true, false]) {
          const arrivals = isDone ? [0] : [];
          intercept(replica, (path, body) =>
            isCommit(path, body) ? { arrivals, response: reply } : undefined,
          );
          const outcomes = await createAll(replica, `${isDone}`, 3);
          assertTrue(storedTitles(all.etcd), outcomes);
          // Only what etcd itself has refused is known not to have happened.
          assert.equal(outcomes.notDone.length, isDone || !isEtcds(reply) ? 0 : 3);
          assert.equal(outcomes.done.length, isDone ? 3 : 0);
          assert.equal((await titles(other)).length, 3);
        }
      },
    );
  }

  simulated('does not know the outcome while an attempt is on its way', async (all) => {
    const replica = all.start();
    await all.ready();
    let attempts = 0;
    intercept(replica, (path, body) => {
      if (!isCommit(path, body)) return undefined;
      attempts++;
      if (attempts === 1) return { arrivals: [20_000], response: 'reset' };
      return { arrivals: [], response: EXHAUSTED };
    });
    // The connection breaks while the first attempt waits somewhere.
    all.environment.afterIn(undefined, 100, () => {
      for (const link of replica.links) link.reset();
    });
    const outcomes = await createAll(replica, 't', 1);
    assert.deepEqual(outcomes.unknown, ['t0']);
    assert(attempts > 1);
    intercept(replica, undefined);
    await all.sleep(30_000);
    assertTrue(storedTitles(all.etcd), outcomes);
    assert.deepEqual(await titles(replica), ['t0']);
  });

  const refusals: readonly (readonly [string, (all: Scene, isOn: boolean) => void])[] = [
    ['is full', ({ etcd }, isOn) => (etcd.isFull = isOn)],
    [
      'lets it only read',
      ({ replica }, isOn) =>
        intercept(replica, (path, body) =>
          isOn && isCommit(path, body) ? { arrivals: [], response: DENIED } : undefined,
        ),
    ],
  ];
  for (const [what, refuse] of refusals) {
    simulated(`knows that nothing happened if etcd ${what}`, async (all) => {
      const replica = all.start();
      await all.ready();
      const { etcd } = all;
      refuse({ replica, etcd }, true);
      const outcomes = await createAll(replica, 't', 1);
      refuse({ replica, etcd }, false);
      assert.deepEqual(outcomes.notDone, ['t0']);
      assertTrue(storedTitles(all.etcd), outcomes);
      assert.equal(await create(replica, 'next'), 1);
    });
  }

  const changes: readonly (readonly [string, 'done' | 'unknown', (all: Scene) => void])[] = [
    ['is full', 'done', ({ etcd }) => (etcd.isFull = true)],
    ['denies permission', 'unknown', ({ etcd }) => (etcd.deniesPermission = true)],
    [
      'has dropped its token, and logins fail at first',
      'done',
      ({ replica, etcd }) => {
        etcd.token = 'second';
        let logins = 0;
        intercept(replica, (path) =>
          path === '/v3/auth/authenticate' && ++logins <= 2
            ? { arrivals: [], response: GARBAGE[0] }
            : undefined,
        );
      },
    ],
  ];
  for (const [what, outcome, change] of changes) {
    simulated(
      `states the true outcome if it sends a write again when etcd ${what}`,
      async (all) => {
        const { etcd } = all;
        etcd.password = 'secret';
        const replica = all.start({ user: { name: 'todo', password: etcd.password } });
        await all.ready();
        intercept(replica, (path, body) =>
          isCommit(path, body) ? { arrivals: [0, 600] } : undefined,
        );
        all.environment.afterIn(undefined, 100, () => change({ replica, etcd }));
        const outcomes = await createAll(replica, 't', 1);
        assert.deepEqual(outcomes[outcome], ['t0']);
        assertTrue(storedTitles(all.etcd), outcomes);
      },
    );
  }

  simulated('knows that nothing happened if etcd is silent after a lost race', async (all) => {
    const [a, b] = await startTwo(all);
    let isLost = false;
    intercept(a, (path, body) => {
      if (isLost) return { arrivals: [], response: 'none' };
      if (!isCommit(path, body)) return undefined;
      isLost = true;
      return { arrivals: [100] };
    });
    const losing = createAll(a, 't', 1);
    await all.until('it is sent', () => isLost);
    // Else the replica would know what came first, and send the write again.
    all.etcd.split = () => [];
    await create(b, 'first');
    assert.deepEqual((await losing).notDone, ['t0']);
    await all.sleep(10_000);
    assert.deepEqual(storedTitles(all.etcd), ['first']);
  });

  const options = [
    ['--max-txn-ops=128', 'store-unavailable', 400, 'too many operations in txn request', isCommit],
    ['--max-request-bytes=1572864', 'store-unavailable', 400, 'request is too large', isCommit],
    ['--enable-grpc-gateway=true', 'outcome-unknown', 404, '', () => true],
  ] as const;
  for (const [option, code, status, message, isRefused] of options) {
    simulated(`names the option of etcd without which writes fail: ${option}`, async (all) => {
      const replica = all.start();
      await all.ready();
      const body = message ? bodyOf({ message, code: 3 }) : '404 page not found\n';
      intercept(replica, (path, sent) =>
        isRefused(path, sent) ? { arrivals: [], response: { status, body } } : undefined,
      );
      const refused = await replica.post('/api/todos', { title: 'x' });
      assert.equal(refused.json<{ code: string }>().code, code);
      assert(refused.text.includes(option), refused.text);
      assert.equal(refused.headers['retry-after'], undefined);
      if (message) return;
      await all.sleep(10_000);
      const unready = await replica.get('/readyz');
      assert(unready.text.includes(option), unready.text);
      assert.equal(unready.headers['retry-after'], undefined);
    });
  }

  simulated('logs in every two seconds if its password is wrong', async (all) => {
    all.etcd.password = 'secret';
    const replica = all.start({ user: { name: 'todo', password: 'wrong' } });
    for (let i = 0; i < 150; i++) {
      assert.equal((await replica.get('/api/todos')).status, 503);
      await all.sleep(100 - (all.now % 100));
    }
    assert(all.now >= 15_000);
    assert(all.etcd.logins <= 12, `${all.etcd.logins} logins`);
    all.etcd.password = 'wrong';
    await all.ready(6_000);
  });

  simulated('knows that nothing was written without a login', async (all) => {
    all.etcd.password = 'secret';
    const replica = all.start({ user: { name: 'todo', password: 'secret' } });
    await all.ready();
    all.etcd.password = 'another';
    all.etcd.token = 'second';
    const outcomes = await createAll(replica, 't', 20);
    assert.equal(outcomes.unknown.length, 1, 'only the first one was sent, with the former token');
    assert.equal(outcomes.notDone.length, 19);
  });

  simulated('asks a silent etcd no more often as time goes on', async (all) => {
    const replica = all.start({ settings: { timeoutMs: 600_000 } });
    await all.ready();
    let requests = 0;
    intercept(replica, () => {
      requests++;
      return { arrivals: [], response: 'none' };
    });
    await all.sleep(30_000);
    requests = 0;
    await all.sleep(10_000);
    assert(requests <= 80, `${requests} requests in 10 s`);
    intercept(replica, undefined);
    await all.ready(6_000);
  });

  simulated('tags an item by its own commit, also after later commits', async (all) => {
    const [a, b] = await startTwo(all);
    let isLost = false;
    intercept(a, (path, body) => {
      // The replica finds out the outcome after the commits of the other one.
      if (isLost && path === '/v3/kv/range') return { arrivals: [200] };
      if (isLost || !isCommit(path, body)) return undefined;
      isLost = true;
      for (let i = 0; i < 9; i++) all.etcd.write([{ put: 'other', value: `${i}` }]);
      return { response: 'reset', arrivals: [0] };
    });
    const making = a.post('/api/todos', { title: 'x' });
    await all.until('it is sent', () => isLost);
    await all.sleep(10);
    for (let i = 0; i < 20; i++) await b.post('/api/todos', { title: `${i}` });
    const made = await making;
    assert.deepEqual([made.status, made.json().id], [201, 1], 'it came first');
    const read = await b.get(`/api/todos/${made.json().id}`);
    assert.equal(read.headers.etag, made.headers.etag);
  });

  simulated('does not know an outcome that 64 other writers have overtaken', async (all) => {
    const replica = all.start();
    await all.ready();
    let step: 'before' | 'lost' | 'overtaken' = 'before';
    intercept(replica, (path, body) => {
      if (step === 'before' && isCommit(path, body)) {
        step = 'lost';
        return { arrivals: [0], response: 'reset' };
      }
      if (step !== 'lost' || path !== '/v3/kv/range') return undefined;
      step = 'overtaken';
      const head = JSON.parse(all.etcd.store.value('/test/head') ?? '');
      for (let i = 0; i < MAX_WRITERS; i++) {
        const next = { ...head, changes: 0, writers: { [`w${i}`]: 1 } };
        all.etcd.write([{ put: '/test/head', value: JSON.stringify(next) }]);
      }
      return { arrivals: [0] };
    });
    const answer = await replica.post('/api/todos', { title: 'x' });
    assert.match(answer.text, /\(too many other writers have committed\).*"outcome-unknown"/);
    assert.deepEqual(await titles(replica), ['x']);
  });
});

function isEtcds({ body }: Reply): boolean {
  return body.includes('"code":8');
}
