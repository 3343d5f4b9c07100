import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { create, titles } from '../../../support/items.ts';
import type { Answer } from '../../../support/requests.ts';
import { bodyOf } from '../etcd/gateway.ts';
import type { RequestOutcome } from '../network/network.ts';
import { GARBAGE } from '../network/network-faults.ts';
import type { Simulation } from '../service/simulation.ts';
import { intercept, isCommit, refusalOf, SEED, simulated, startOne } from './stage.ts';

/** The time within which a replica serves again after a repair, in milliseconds. */
const REPAIRED_MS = 15_000;

/** Values that another program may have stored instead of a head; undefined if it has deleted it. */
const NO_HEADS = [
  ...[undefined, '{', 'null', '[]', '{"generation":7}', ''],
  // The last id of variant A is 2147483647.
  '{"generation":"g","idsAssigned":"2147483648","changes":0,"writers":{}}',
];

/** The reasons that replicas give for them. */
const UNREADABLE =
  /(^|[(]|: )\/test\/head (is missing|is not the head of|is not a JSON|has idsAssigned beyond)/;

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
    simulated(`makes the store unavailable until it is repaired: ${garbage}`, async (all) => {
      const running = await startOne(all);
      assert.equal(await create(running, 'first'), 1);
      const head = replace(all, '/test/head', garbage);
      await all.sleep(20);
      assert.notEqual(running.notReadyReason, undefined, 'it is noticed at once');
      assert.match(await refusalOf(all), UNREADABLE);
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
    assert.match(text, /\(\/test\/head is not the head of a list\).*"outcome-unknown"/);
  });
});

describe('a meta that does not fit', () => {
  const wrong: readonly (readonly [members: object | string | undefined, RegExp])[] = [
    [undefined, /\/test\/meta is missing/],
    ['{', /\/test\/meta is not a JSON object/],
    [{ format: 4 }, /a format that this version does not know/],
    [{ fields: 'other' }, /has items with other fields/],
    [{ limits: null }, /\/test\/meta is not the meta of a list/],
    [{ limits: { maxRows: 'many' } }, /\/test\/meta is not the meta of a list/],
    [{ variant: 7 }, /\/test\/meta is not the meta of a list/],
    [{ id: null }, /\/test\/meta is not the meta of a list/],
  ];
  for (const [members, reason] of wrong) {
    const title = 'ends a start, and makes a replica unavailable at its next load';
    simulated(`${title}: ${JSON.stringify(members)}`, async (all) => {
      const running = await startOne(all);
      assert.equal(await create(running, 'first'), 1);
      const meta = all.etcd.store.value('/test/meta') ?? '';
      const isObject = typeof members === 'object';
      replace(all, '/test/meta', isObject ? withMembers(meta, members) : members);
      assert.match(await refusalOf(all), reason);
      assert.equal(await create(running, 'second'), 2, 'the list is not loaded again');
      assert.equal((await running.reset()).status, 204);
      await all.sleep(1_000);
      for (const refused of [await running.get('/readyz'), await running.get('/api/todos')]) {
        assertUnavailable(refused);
        assert.match(refused.text, reason);
      }
      replace(all, '/test/meta', withMembers(meta, { ofLater: true }));
      await all.ready(REPAIRED_MS);
      assert.deepEqual(await titles(running), []);
    });
  }
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

  simulated('is one with an id that was never assigned', async (all) => {
    const running = await startOne(all, { seed: [{ title: 'one' }] });
    const { store } = all.etcd;
    const [key = ''] = store.keys('/test/row/', '/test/row0', store.revision);
    const later = `${key.slice(0, -1)}9`;
    all.etcd.write([{ put: later, value: store.value(key) ?? '' }]);
    assert.equal(await refusalOf(all), `${later} has an id that was never assigned`);
    all.etcd.write([{ remove: later, end: undefined }]);
    assert.equal(await create(running, 'two'), 2);
  });
});

describe('a replica without one node of etcd', () => {
  for (const reach of ['refused', 'silent'] as const) {
    simulated(`changes to another if that is ${reach}, and stays with it`, async (all) => {
      const replica = await startOne(all);
      const used = replica.links.find(({ open }) => open.size > 0);
      assert(used, 'its watch is open');
      all.network.set([used], reach);
      // The silence of a node takes time to notice.
      if (reach === 'silent') await all.sleep(3_000);
      for (const send of [() => create(replica, 'x'), () => titles(replica)]) {
        const start = all.now;
        await send();
        assert(all.now - start < 40, `${all.now - start} ms`);
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

  const options = [
    ['--max-txn-ops=128', 'store-unavailable', 400, 'too many operations in txn request', isCommit],
    ['--max-request-bytes=1572864', 'store-unavailable', 400, 'request is too large', isCommit],
    ['--enable-grpc-gateway=true', 'outcome-unknown', 404, '', () => true],
  ] as const;
  for (const [option, code, status, message, isRefused] of options) {
    simulated(`names the option of etcd without which writes fail: ${option}`, async (all) => {
      const replica = await startOne(all);
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

  for (const reply of [undefined, GARBAGE[0]]) {
    const what = reply ? 'something else answers' : 'its password is wrong';
    simulated(`logs in every two seconds if ${what}`, async (all) => {
      all.etcd.password = 'secret';
      const replica = all.start({ user: { name: 'todo', password: 'wrong' } });
      intercept(replica, (path) =>
        reply && path.includes('auth') ? { arrivals: [0], response: reply } : undefined,
      );
      while (all.now < 15_000) {
        assert.equal((await replica.get('/api/todos')).status, 503);
        await all.sleep(100 - (all.now % 100));
      }
      const most = Math.ceil(all.now / 2_000) + 1;
      assert(all.etcd.logins <= most, `${all.etcd.logins} logins, not ${most}`);
      all.etcd.password = 'wrong';
      intercept(replica, undefined);
      await all.ready(6_000);
    });
  }

  simulated('asks a silent etcd no more often as time goes on', async (all) => {
    const replica = await startOne(all, { settings: { timeoutMs: 600_000 } });
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
});

simulated('a replica that is closed sends nothing', async (all) => {
  const replica = await startOne(all);
  replica.replica.sharing.close();
  let requests = 0;
  intercept(replica, () => {
    requests++;
    return undefined;
  });
  await all.sleep(5_000);
  assert.equal(requests, 0);
});

describe('the log of a replica', () => {
  simulated('has one line for each reason, and one when etcd is back', async (all) => {
    const { etcd, network } = all;
    etcd.password = 'secret';
    const replica = await startOne(all, { user: { name: 'todo', password: 'secret' } });
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
        /: etcd answered 502: Bad Gateway\b/,
        (isOn) =>
          intercept(replica, (path) => (isOn && path === '/v3/kv/range' ? badGateway : undefined)),
      ],
    ];
    // The outages follow each other without a pause. After they have ended, the second one returns.
    for (const [index, [reason, happen]] of [...outages, ...outages.slice(1, 2)].entries()) {
      happen(true);
      await all.sleep(20_000);
      const { status, text } = await replica.get('/readyz');
      assert.equal(status, 503);
      assert.match(text, reason);
      assert.match(String(replica.availability.at(-1)), reason);
      happen(false);
      if (index < outages.length - 1) continue;
      await all.ready(6_000);
      await all.sleep(3_000);
    }
    const lines = replica.availability.map((line) => line?.replaceAll(/http:\S+: /g, ''));
    assert.equal(lines.filter((line) => line === undefined).length, 2, 'it was back two times');
    // An outage may begin with another reason, such as connections that break.
    assert(lines.length <= 2 * (outages.length + 1) + 2, lines.join('\n'));
    for (const [index, line] of lines.entries()) assert.notEqual(line, lines[index - 1]);
  });

  simulated('has no line of a list that is only long', async (all) => {
    const options = { seed: SEED, maxRows: 10_000 };
    all.start(options);
    await all.ready();
    const replica = all.start(options);
    // Each page takes seconds, as if it came after many others.
    intercept(replica, (path, body) =>
      path === '/v3/kv/range' && body.includes('"limit"') ? { arrivals: [3_000] } : undefined,
    );
    await all.sleep(6_000);
    const { text } = await replica.get('/readyz');
    assert.match(text, /\(The list has not been loaded yet\)/);
    await all.ready();
    assert.deepEqual(replica.availability, []);
  });
});
