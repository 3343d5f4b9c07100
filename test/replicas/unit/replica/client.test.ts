import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../../../src/lib/clock.ts';
import { EtcdClient, type EtcdSettings } from '../../../../src/replicas/replica/etcd/client.ts';
import { EtcdError, type Outcome } from '../../../../src/replicas/replica/etcd/etcd-error.ts';
import { encode } from '../../../../src/replicas/replica/etcd/gateway.ts';
import { ManualTimers } from '../../../support/clock.ts';
import { turns } from '../../../support/raw.ts';
import { type Reply, SimulatedEtcd } from '../../simulation/etcd/gateway.ts';
import { ResponseStream } from '../../simulation/network/response-stream.ts';

/** The time limit of a login, in milliseconds. */
const LOGIN_MS = 2_000;

const LOGIN = '/v3/auth/authenticate';

const PASSWORD = 'a b"c';

type Respond = (
  request: Readonly<Record<'url' | 'path' | 'body' | 'token', string>>,
) => Reply | Promise<Reply>;

/** A client, and the responses of its endpoints. */
function clientOf(
  respond: Respond,
  settings: Partial<EtcdSettings> = {},
  onOtherCluster: (message: string) => void = () => {},
) {
  const connect = (url: string) => ({
    post: async (path: string, body: string, _: AbortSignal, token = '') => {
      const reply = await respond({ url, path, body, token });
      const response = new ResponseStream(reply.status);
      response.push(Buffer.from(reply.body));
      response.end();
      return response;
    },
    close: () => {},
  });
  return new EtcdClient({ endpoints: ['http://etcd'], connect, ...settings }, onOtherCluster);
}

/** A client with a password. */
function userOf(respond: Respond, password = PASSWORD) {
  return clientOf(respond, { user: { name: 'root', password: () => password } });
}

function etcdWithUsers() {
  const etcd = new SimulatedEtcd();
  etcd.password = PASSWORD;
  const respond: Respond = ({ path, body, token }) => etcd.handle(path, body, token);
  return { etcd, respond };
}

function ok(json: object): Reply {
  return { status: 200, body: `${JSON.stringify(json)}\n` };
}

it('a request gives up in time, although the login that it waits for goes on', async (test) => {
  new ManualTimers(test, (ms) => ms === LOGIN_MS);
  const paths: string[] = [];
  const client = userOf(({ path }) => {
    paths.push(path);
    return new Promise<never>(() => {});
  });
  await assert.rejects(client.range({}, { deadline: clock.now() + 20 }), {
    message: 'the login took too long',
    outcome: 'unsent',
  });
  assert.deepEqual(paths, [LOGIN]);
});

it('an attempt ends after a second, or with its request', async (test) => {
  const now = 10_000;
  test.mock.method(clock, 'now', () => now);
  const timers: number[] = [];
  new ManualTimers(test, (ms) => timers.push(ms) > 0);
  const header = { cluster_id: '1', member_id: '1', revision: '1' };
  /** The timers that were set last before something was sent. */
  const limits: (number | undefined)[] = [];
  const client = clientOf(() => {
    limits.push(timers.at(-1));
    return ok({ header });
  });
  for (const ms of [5_000, 1_000, 999, 20, 1]) await client.range({}, { deadline: now + ms });
  assert.deepEqual(limits, [1_000, 1_000, 999, 20, 1]);
});

it('many requests with an expired token log in once', async () => {
  const { etcd, respond } = etcdWithUsers();
  const client = userOf(respond);
  const read = () => client.range({ key: encode('x') });
  await read();
  etcd.token = 'second';
  await Promise.all(Array.from({ length: 20 }, read));
  await turns(10);
  assert.equal(etcd.logins, 2);
});

it('a login that breaks is repeated, however long it has taken', async (test) => {
  let now = 0;
  test.mock.method(clock, 'now', () => now);
  const { etcd, respond } = etcdWithUsers();
  let isBroken = true;
  const client = userOf((request) => {
    if (request.path !== LOGIN || !isBroken) return respond(request);
    isBroken = false;
    now += LOGIN_MS / 2;
    return Promise.reject(new EtcdError('unknown', 'socket hang up'));
  });
  await client.range({ key: encode('x') });
  assert.equal(etcd.logins, 1);
});

it('a request that has waited for a login leaves no timer', async (test) => {
  const { open: timers } = new ManualTimers(test);
  await userOf(etcdWithUsers().respond).range({ key: encode('x') });
  assert.equal(timers.size, 0);
});

it('a user needs no token while authentication is off, whatever the password', async () => {
  // Words of etcd's messages, which decide the outcome.
  for (const password of [PASSWORD, 'user', 'enabled']) {
    const { etcd, respond } = etcdWithUsers();
    etcd.password = undefined;
    const client = userOf(respond, password);
    for (let i = 0; i < 2; i++) await client.range({ key: encode('x') });
    assert.equal(etcd.logins, 1);
    etcd.password = password;
    await client.range({ key: encode('x') });
    assert.equal(etcd.logins, 2);
  }
});

it('an error of etcd is shown as it is', async () => {
  const message = `etcdserver: ${PASSWORD} is a word of a key`;
  const client = userOf(() => ({ status: 400, body: JSON.stringify({ message, code: 3 }) }));
  await assert.rejects(client.range({}), { message: `etcd answered 400: ${message}` });
});

it('an error of etcd is the last one until a request succeeds', async () => {
  let isWell = false;
  const header = { cluster_id: '1', member_id: '1', revision: '1' };
  const refused: Reply = { status: 400, body: '{"message":"no space","code":8}' };
  const client = clientOf(() => (isWell ? ok({ header }) : refused));
  await assert.rejects(client.range({}), { message: /no space/ });
  assert.match(String(client.lastError?.message), /no space/);
  isWell = true;
  await client.range({});
  assert.equal(client.lastError, undefined);
});

it('a watch of another cluster ends before its events count', async () => {
  const messages: string[] = [];
  let cluster = '16';
  const respond: Respond = ({ path }) => {
    const header = { cluster_id: cluster, revision: '1' };
    return ok(path === '/v3/watch' ? { result: { header, created: true } } : { header });
  };
  const client = clientOf(respond, {}, (message) => messages.push(message));
  const watch = () => client.watch('/x/', 2, new AbortController());
  await client.range({});
  assert.deepEqual((await watch().next()).value, []);
  cluster = '255';
  const message = 'http://etcd is of another cluster of etcd: ff, not 10';
  for (let i = 0; i < 2; i++) await assert.rejects(watch().next(), { message, outcome: 'unknown' });
  assert.deepEqual(messages, [message], 'it is reported once');
});

it('a watch that etcd ends is over, with its reason, although its response goes on', async () => {
  const header = { cluster_id: '16', revision: '1' };
  const created = ok({ result: { header, created: true } }).body;
  const ended = ok({ result: { header, canceled: true, cancel_reason: 'a test' } }).body;
  const later = ok({ result: { header, events: [] } }).body;
  const client = clientOf(() => ({ status: 200, body: created + ended + later }));
  const watch = client.watch('/x/', 2, new AbortController());
  await assert.rejects(watch.next(), { outcome: 'unknown', message: /a test/ });
});

it('an answer whose revision is no number is not from etcd', async () => {
  const answer = ok({ header: { cluster_id: '16', revision: '1x' } });
  await assert.rejects(clientOf(() => answer).range({}, { deadline: 0 }), EtcdError);
});

it('a majority is more than half of the endpoints', async () => {
  for (const [endpoints, live, expected] of [
    [1, 1, true],
    [2, 1, false],
    [3, 2, true],
    [4, 2, false],
    [4, 3, true],
  ] as const) {
    const urls = Array.from({ length: endpoints }, (_, i) => `http://etcd-${i}`);
    const respond: Respond = ({ url }) => {
      if (urls.indexOf(url) >= live) throw new EtcdError('unreachable', 'a test');
      return ok({ header: { cluster_id: '16', revision: '1' } });
    };
    const client = clientOf(respond, { endpoints: urls });
    await client.range({});
    assert.equal(await client.hasMajority('x'), expected, `${live} of ${endpoints}`);
  }
});

/**
 * Sends a range to endpoints, each of which fails with some outcomes, and answers then.
 * @param ms the time that each attempt takes
 */
async function rangeOf(
  test: TestContext,
  failures: Readonly<Record<string, readonly Outcome[]>>,
  ms: number,
) {
  let now = clock.now();
  test.mock.method(clock, 'now', () => now);
  const requests: string[] = [];
  const respond: Respond = ({ url }) => {
    const tries = requests.filter((each) => each === url).length;
    requests.push(url);
    now += ms;
    const outcome = failures[url]?.[tries];
    if (outcome !== undefined) throw new EtcdError(outcome, `${url}: a test`);
    return ok({ header: { cluster_id: '16', revision: '1' } });
  };
  const ended = await clientOf(respond, { endpoints: Object.keys(failures) })
    .range({})
    .then(
      () => 'answered',
      ({ outcome }) => outcome,
    );
  return { ended, requests: requests.join(' ') };
}

describe('a request to etcd', () => {
  it('goes on while one endpoint refuses connections and another one is silent', async (test) => {
    const failures = { dead: ['unreachable', 'unreachable'], silent: ['unknown'] } as const;
    assert.deepEqual(await rangeOf(test, failures, 400), {
      ended: 'answered',
      requests: 'dead silent dead silent',
    });
  });

  it('ends soon when all endpoints refuse connections', async (test) => {
    const failures = { one: ['unreachable', 'unreachable'], other: ['unreachable'] } as const;
    assert.deepEqual(await rangeOf(test, failures, 120), {
      ended: 'unsent',
      requests: 'one other one',
    });
  });
});
