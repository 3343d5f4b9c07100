import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { create, titles } from '../../../support/items.ts';
import type { Answer } from '../../../support/requests.ts';
import type { RequestOutcome } from '../network/network.ts';
import type { Simulation } from '../service/simulation.ts';
import { intercept, isCommit, LONG_LIST, refusalOf, simulated, startOne } from './stage.ts';

/** The time within which a replica serves again after a repair, in milliseconds. */
const REPAIRED_MS = 15_000;

/** Values that another program may have stored instead of a head; undefined if it has deleted it. */
const NO_HEADS: readonly (string | object | undefined)[] = [
  ...[undefined, '{', 'null', '[]', ''],
  // A head of version 3.
  '{"generation":"0000000001-x","idsAssigned":"7","changes":1,"writers":{"w":1}}',
  // Members of the head that are replaced.
  ...[{ format: 5 }, { fields: 'other' }, { maxRows: 'many' }, { variant: 7 }, { id: null }],
  ...[{ changes: -1 }, { token: 7 }, { idsAssigned: 7 }, { idsAssigned: '7.5' }],
  // The last id of variant A is 2147483647.
  { idsAssigned: '2147483648' },
];

/** The reasons that replicas give for them. */
const UNREADABLE =
  /(^|[(]|: )\/test\/head (is missing|is not the head|has no list in format 4|is of a list with other fields|has idsAssigned beyond)/;

/** Replaces the value of a key, or deletes it, and returns the one before. */
function replace({ etcd }: Simulation, key: string, value: string | undefined): string {
  const before = etcd.store.value(key) ?? '';
  etcd.write([value === undefined ? { remove: key, end: undefined } : { put: key, value }]);
  return before;
}

/** Replaces members of a JSON object. */
function withMembers(text: string, members: object): string {
  return JSON.stringify({ ...JSON.parse(text), ...members });
}

function assertUnavailable({ status, text }: Answer): void {
  assert.equal(status, 503, text);
  assert.match(text, /"code":"store-unavailable"/);
}

describe('a head that cannot be read', () => {
  for (const garbage of NO_HEADS) {
    const title = 'ends a start, and makes a replica unavailable until it is repaired';
    simulated(`${title}: ${JSON.stringify(garbage)}`, async (all) => {
      const running = await startOne(all);
      assert.equal(await create(running, 'first'), 1);
      const before = all.etcd.store.value('/test/head') ?? '';
      const value = typeof garbage === 'object' ? withMembers(before, garbage) : garbage;
      const head = replace(all, '/test/head', value);
      const { revision } = all.etcd.store;
      await all.sleep(20);
      assert.notEqual(running.notReadyReason, undefined, 'it is noticed at once');
      assert.match(await refusalOf(all), UNREADABLE);
      assert.equal(all.etcd.store.revision, revision, 'it is left as it is');
      await all.sleep(10_000);
      const refused = await running.get('/readyz');
      assertUnavailable(refused);
      assert.match(refused.text, UNREADABLE);
      const start = all.now;
      for (const answer of [
        await running.get('/api/todos'),
        await running.post('/api/todos', { title: 'lost' }),
      ]) {
        assertUnavailable(answer);
        assert.match(answer.text, UNREADABLE);
      }
      assert(all.now - start < 1_000, `${all.now - start} ms`);
      replace(all, '/test/head', withMembers(head, { ofLater: [1] }));
      await all.ready(REPAIRED_MS);
      assert.equal(await create(running, 'second'), 2);
      await all.sleep(2_000);
      assert.deepEqual(
        running.availability.map((reason) => reason && UNREADABLE.test(reason)),
        [true, undefined],
      );
    });
  }

  simulated('leaves the outcome of a write open that finds it', async (all) => {
    const replica = await startOne(all);
    intercept(replica, (path, body) => {
      if (isCommit(path, body)) replace(all, '/test/head', '{}');
      return undefined;
    });
    const { text } = await replica.post('/api/todos', { title: 'x' });
    assert.match(text, /\(\/test\/head has no list in format 4, .*\).*"outcome-unknown"/);
  });
});

describe('a row that cannot be read', () => {
  const garbage = ['{', '{"title":7}', '{"title":"two","priority":"high"}'];
  for (const value of garbage) {
    simulated(`ends a start, and makes a running replica unavailable: ${value}`, async (all) => {
      const running = await startOne(all, { seed: [{ title: 'one' }, { title: 'two' }] });
      const { store } = all.etcd;
      const key = store.keys('/test/row/', '/test/row0', store.revision)[1] ?? '';
      const before = replace(all, key, value);
      assert((await refusalOf(all)).startsWith(`${key} `));
      // The next write finds that something else has written.
      await running.post('/api/todos', { title: 'three' });
      await all.sleep(3_000);
      const refused = await running.get('/api/todos');
      assertUnavailable(refused);
      assert(refused.text.includes(key), refused.text);
      assert((await running.get('/readyz')).text.includes(key));
      replace(all, key, before);
      await all.ready(REPAIRED_MS);
      assert.deepEqual(await titles(running), ['one', 'two', 'three']);
    });
  }
});

describe('a row with an id that the head has not assigned', () => {
  const seed = [{ title: 'one' }, { title: 'two' }];
  const makesOne: Readonly<Record<string, (all: Simulation, keys: string[]) => [string, string?]>> =
    {
      'because another program has added it': (all, [, second = '']) => {
        const key = second.replace(/2$/, '9');
        replace(all, key, all.etcd.store.value(second));
        return [key, key];
      },
      'because the head is an older one': (all, [, second = '']) => {
        const before = all.etcd.store.value('/test/head') ?? '';
        replace(all, '/test/head', withMembers(before, { idsAssigned: '1' }));
        return [second];
      },
    };
  for (const [why, make] of Object.entries(makesOne)) {
    simulated(`${why}, ends a start, and makes a running replica unavailable`, async (all) => {
      const running = await startOne(all, { seed });
      const { store } = all.etcd;
      const head = store.value('/test/head');
      const [key, added] = make(all, store.keys('/test/row/', '/test/row0', store.revision));
      assert((await refusalOf(all)).startsWith(`${key} has an id above `));
      await running.post('/api/todos', { title: 'three' });
      await all.sleep(3_000);
      for (const path of ['/api/todos', '/readyz']) {
        const refused = await running.get(path);
        assertUnavailable(refused);
        assert(refused.text.includes(key), refused.text);
      }
      if (added === undefined) replace(all, '/test/head', head);
      else replace(all, added, undefined);
      await all.ready(REPAIRED_MS);
      assert.deepEqual((await titles(running)).slice(0, 2), ['one', 'two']);
    });
  }
});

describe('a replica without one node of etcd', () => {
  for (const [reach, withinMs] of [
    ['refused', 150],
    ['silent', 1_200],
  ] as const) {
    simulated(`changes to another if that is ${reach}, and stays with it`, async (all) => {
      const replica = await startOne(all);
      // Each node in turn, and the first one again.
      for (let turn = 0; turn < 4; turn++) {
        const used = replica.links.find(({ open }) => open.size > 0);
        assert(used, 'its watch is open');
        all.network.set([used], reach);
        for (const limitMs of [withinMs, 40]) {
          const start = all.now;
          await create(replica, 'x');
          await titles(replica);
          // Its watch may take as long again to open.
          assert(all.now - start < 2 * limitMs, `${all.now - start} ms`);
        }
        all.network.set([used], 'open');
      }
      assert.deepEqual(replica.availability, []);
    });
  }
});

describe('a replica without etcd', () => {
  simulated('listens, and loads the list when etcd can be reached', async (all) => {
    const replica = all.start();
    all.network.set(replica.links, 'refused');
    await all.sleep(10_000);
    assert.equal((await replica.get('/livez')).status, 200);
    assert.equal((await replica.get('/readyz')).status, 503);
    assert.equal((await replica.get('/api/todos')).status, 503);
    all.network.heal();
    await all.ready(6_000);
    assert.equal(await create(replica, 'x'), 1);
  });

  const outages: readonly (readonly [string, RegExp, (all: Simulation) => void])[] = [
    [
      'all endpoints refuse connections',
      /"code":"store-unavailable"/,
      ({ network }) => network.set(network.links, 'refused'),
    ],
    [
      'etcd asks for a user, and it has none',
      /user name is empty/,
      ({ etcd }) => (etcd.password = 'secret'),
    ],
  ];
  for (const [what, reason, happen] of outages) {
    simulated(`returns 503 within a second if ${what}`, async (all) => {
      const replica = await startOne(all, { seed: [{ title: 'one' }] });
      happen(all);
      for (const [method, path, body] of [
        ['GET', '/api/todos'],
        ['POST', '/api/todos', '{"title":"two"}'],
        ['DELETE', '/api/todos/1'],
      ] as const) {
        const start = all.now;
        const headers = { 'content-type': 'application/json' };
        const answer = await replica.request(method, path, { headers, body: body ?? '' });
        assert.equal(answer.status, 503);
        assert.match(answer.text, reason);
        assert.equal(answer.headers['retry-after'], '1');
        assert(all.now - start < 1_000, `${all.now - start} ms`);
      }
      const retries = replica.metric('todo_store_retries_total');
      assert(retries <= 200, `${retries} retries within ${all.now} ms`);
    });
  }

  for (const [state, maxMs] of [
    ['refused', 1_000],
    ['silent', 5_100],
  ] as const) {
    simulated(`lets no write wait for those before it to fail (${state})`, async (all) => {
      const replica = await startOne(all, { seed: [{ title: 'one' }] });
      all.network.set(all.network.links, state);
      const start = all.now;
      const sent = Array.from({ length: 6 }, () => [
        replica.request('DELETE', '/api/todos?id.gte=1'),
        replica.reset('[]'),
      ]);
      for (const answer of await Promise.all(sent.flat())) assertUnavailable(answer);
      assert(all.now - start < maxMs, `${all.now - start} ms`);
      all.network.heal();
      await all.ready(6_000);
      assert.deepEqual(await titles(replica), ['one']);
    });
  }

  simulated('leaves the outcome of a write that it had sent open, within a second', async (all) => {
    const replica = await startOne(all);
    intercept(replica, (path, body) => {
      if (!isCommit(path, body)) return undefined;
      all.network.set(all.network.links, 'refused');
      return { arrivals: [], response: 'reset' };
    });
    const start = all.now;
    const answer = await replica.post('/api/todos', { title: 'x' });
    assert.match(answer.text, /ECONNREFUSED.*"code":"outcome-unknown"/);
    assert(all.now - start < 1_000, `${all.now - start} ms`);
  });

  simulated('logs in every two seconds if its password is wrong', async (all) => {
    all.etcd.password = 'secret';
    const replica = all.start({ password: 'wrong' });
    while (all.now < 15_000) {
      assert.equal((await replica.get('/api/todos')).status, 503);
      await all.sleep(100 - (all.now % 100));
    }
    const most = Math.ceil(all.now / 2_000) + 1;
    assert(all.etcd.logins <= most, `${all.etcd.logins} logins, not ${most}`);
    all.etcd.password = 'wrong';
    await all.ready(6_000);
  });
});

simulated('a replica that is closed sends nothing', async (all) => {
  const replica = await startOne(all);
  replica.replica.close();
  for (const link of replica.links) link.reset();
  let requests = 0;
  intercept(replica, () => {
    requests++;
    return undefined;
  });
  await all.sleep(5_000);
  assert.equal(requests, 0);
});

describe('the log of a replica', () => {
  simulated('has one line with the error of an outage, and one when etcd is back', async (all) => {
    const { etcd, network } = all;
    etcd.password = 'secret';
    const replica = await startOne(all, { password: 'secret' });
    const badGateway: RequestOutcome = { response: { status: 502, body: 'Bad Gateway' } };
    const outages: readonly (readonly [reason: RegExp, happen: (isOn: boolean) => void])[] = [
      [/: no answer in time\b/, (isOn) => network.set(network.links, isOn ? 'silent' : 'open')],
      [/: .*ECONNREFUSED\b/, (isOn) => network.set(network.links, isOn ? 'refused' : 'open')],
      [/: .*permission denied\b/, (isOn) => (etcd.deniesPermission = isOn)],
      [
        /: .*authentication failed\b/,
        (isOn) => {
          etcd.password = isOn ? 'another' : 'secret';
          etcd.token = isOn ? 'another' : 'second';
        },
      ],
      [
        /^etcd answered 502$/,
        (isOn) =>
          intercept(replica, (path) => (isOn && path === '/v3/kv/range' ? badGateway : undefined)),
      ],
    ];
    for (const [reason, happen] of outages) {
      happen(true);
      await all.sleep(20_000);
      assertUnavailable(await replica.get('/readyz'));
      happen(false);
      await all.ready(6_000);
      await all.sleep(3_000);
      assert.equal(replica.availability.length, 2, replica.availability.join('\n'));
      const [line, back] = replica.availability.splice(0);
      assert.match(String(line), reason);
      assert.equal(back, undefined);
    }
  });

  simulated('has no line of a list that is only long', async (all) => {
    all.start(LONG_LIST);
    await all.ready();
    const replica = all.start(LONG_LIST);
    // Each page takes seconds, as if it came after many others.
    intercept(replica, (path, body) =>
      path === '/v3/kv/range' && body.includes('"limit"') ? { arrivals: [3_000] } : undefined,
    );
    await all.sleep(6_000);
    const { text } = await replica.get('/readyz');
    assert.match(text, /\(the list has not been loaded yet\)/);
    await all.ready();
    assert.deepEqual(replica.availability, []);
  });
});
