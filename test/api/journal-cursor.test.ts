import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { startTodoService } from '../../src/package/index.ts';
import { Faults } from '../../src/service/faults/faults.ts';
import type { JournalEntry } from '../../src/service/journal/journal-entry.ts';
import { variantB as variant } from '../../src/service/todo/variant-b.ts';
import { AUTHORIZED, startAdmin } from '../support/admin.ts';
import { EVENTS, itemPath, LIST } from '../support/paths.ts';
import { turns } from '../support/raw.ts';
import { createRequest, getRequest } from '../support/raw-requests.ts';
import { turnsUntil } from '../support/within.ts';
import { assertProblem } from './suite.ts';

const HOUR_MS = 3_600_000;

interface Journal {
  readonly journal: string;
  readonly next: string;
  readonly requests: readonly JournalEntry[];
}

async function start(test: TestContext) {
  const service = await startAdmin(test, variant);
  const read = async (query = '', base = ''): Promise<Journal> => {
    const answer = await service.admin('GET', `${base}/admin/requests?${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json<Journal>();
  };
  /** Begins a wait for what comes after a cursor. */
  const follow = (after: string, query = '') => {
    const wait = { isOver: false, result: read(`waitMs=60000&after=${after}${query}`) };
    void wait.result.then(() => {
      wait.isOver = true;
    });
    return wait;
  };
  return { ...service, read, follow };
}

const outcomes = ({ requests }: Journal) =>
  requests.map(({ number, status, durationMs }) => [number, status, durationMs !== null]);

it('`after` finds what came or changed since: arrival, status and end of a request', async (test) => {
  const { client, admin, setFaults, connect, read } = await start(test);
  await client.get(LIST);
  await setFaults({ delayMs: HOUR_MS }, { method: 'GET', abort: 'after' });
  const before = await read();
  assert.deepEqual(outcomes(before), [[1, 200, true]]);
  assert.deepEqual(outcomes(await read(`after=${before.next}`)), []);
  await (await connect()).sendApart(createRequest());
  await turnsUntil('it has arrived', async () => (await read()).requests.length === 2);
  const waiting = await read(`after=${before.next}`);
  assert.deepEqual(outcomes(waiting), [[2, null, false]]);
  assert.deepEqual(outcomes(await read(`after=${waiting.next}`)), []);
  await admin('DELETE', '/admin/faults');
  await turnsUntil('it has ended', async () =>
    (await read()).requests.every(({ durationMs }) => durationMs !== null),
  );
  const over = await read(`after=${waiting.next}`);
  assert.deepEqual(outcomes(over), [[2, 201, true]]);
  assert.deepEqual(outcomes(await read(`after=${over.next}`)), []);
  assert.equal(over.journal, before.journal);
});

it('a wait after a cursor ends at the arrival, the status and the end of a request', async (test) => {
  const { app, setFaults, connect, read, follow } = await start(test);
  await setFaults({ delayMs: HOUR_MS });
  const stream = await connect();
  let { next } = await read();
  for (const [step, outcome] of [
    [() => stream.send(getRequest(EVENTS)), [1, null, false]],
    [() => app.base.list.feature(Faults).end(), [1, 200, false]],
    [() => app.base.hub?.endStreams(), [1, 200, true]],
  ] as const) {
    const wait = follow(next);
    await turns(20);
    assert.equal(wait.isOver, false);
    step();
    const found = await wait.result;
    assert.deepEqual(outcomes(found), [outcome]);
    next = found.next;
  }
});

it('a wait after a cursor is for requests that match, as many as `count`', async (test) => {
  const { client, read, follow } = await start(test);
  for (let i = 0; i < 3; i++) await client.post(LIST, { title: 'before' });
  const { next } = await read();
  const wait = follow(next, '&method=POST&count=2');
  await client.get(LIST);
  await client.post(LIST, { title: 'one' });
  await turns(20);
  assert.equal(wait.isOver, false);
  await client.post(LIST, { title: 'two' });
  assert.deepEqual(
    (await wait.result).requests.map(({ number }) => number),
    [5, 6],
  );
  assert.deepEqual((await read(`after=${next}&waitMs=60000&count=3`)).requests.length, 3);
});

it('a wait after a cursor ends when the faults, their hits or the journal change', async (test) => {
  const { client, admin, setFaults, read, follow } = await start(test);
  await client.get(LIST);
  for (const [what, change, isOther] of [
    ['other faults', () => setFaults({ status: 503 }), false],
    ['a hit', () => client.get(LIST), false],
    ['no faults', () => admin('DELETE', '/admin/faults'), false],
    ['DELETE', () => admin('DELETE', '/admin/requests'), true],
    ['a reset', () => admin('POST', '/admin/reset'), true],
  ] as const) {
    const { journal, next } = await read();
    const wait = follow(next, '&method=PUT');
    await turns(20);
    assert.equal(wait.isOver, false, what);
    await change();
    const changed = await wait.result;
    assert.notEqual(changed.next, next, what);
    assert.equal(changed.journal !== journal, isOther, what);
    assert.deepEqual(changed.requests, [], what);
  }
});

it('reading the faults, and admin requests, change nothing', async (test) => {
  const { admin, faults, read } = await start(test);
  const { next } = await read();
  await faults();
  await admin('GET', '/admin/lists');
  assert.equal((await read()).next, next);
});

it('a cursor of another journal finds everything, at once', async (test) => {
  const { client, admin, read } = await start(test);
  await client.get(LIST);
  const first = await read();
  await admin('DELETE', '/admin/requests');
  await client.get(itemPath(1));
  const second = await read(`after=${first.next}&waitMs=60000&count=9`);
  // Numbers go on.
  assert.deepEqual(outcomes(second), [[2, 200, true]]);
  await admin('POST', '/admin/reset');
  const empty = await read(`after=${second.next}&waitMs=60000`);
  assert.deepEqual(empty.requests, []);
  await client.get(itemPath(1));
  const third = await read(`after=${second.next}`);
  assert.deepEqual(outcomes(third), [[1, 200, true]]);
  await admin('PUT', '/admin/lists/other');
  await client.get(`/lists/other${LIST}`);
  const other = await read(`after=${third.next}`, '/lists/other');
  assert.deepEqual(outcomes(other), [[1, 200, true]]);
  const again = await start(test);
  await again.client.get(LIST);
  const restarted = await again.read(`after=${third.next}&waitMs=60000`);
  assert.deepEqual(outcomes(restarted), [[1, 200, true]]);
  const all = [first, second, third, other, restarted];
  assert.equal(new Set(all.map(({ journal }) => journal)).size, all.length);
  for (const { journal, next } of all) assert(next.startsWith(`${journal}.`));
});

it('a cursor of another form is refused', async (test) => {
  const { admin, read } = await start(test);
  const { next, journal } = await read();
  for (const after of [
    '',
    'x',
    journal,
    `${journal}.`,
    `${next}x`,
    `x${next}`,
    `${next}&after=x`,
  ]) {
    const answer = await admin('GET', `/admin/requests?after=${after}`);
    const { detail } = assertProblem(answer, 400, 'invalid-parameter');
    assert.match(detail, /after/);
  }
  const { text } = await admin('GET', '/admin/requests?after=x');
  assert.match(text, /after must be the `next` of a response, not \\"x\\"/);
});

it('a wait after a cursor ends with its list, and with the service', async (test) => {
  const { admin, app, connect } = await start(test);
  await admin('PUT', '/admin/lists/other');
  const fields = `Authorization: ${AUTHORIZED.authorization}\r\n`;
  for (const [base, end] of [
    ['/lists/other', () => admin('DELETE', '/admin/lists/other')],
    ['', () => app.stop(1_000)],
  ] as const) {
    const { next } = (await admin('GET', `${base}/admin/requests`)).json<Journal>();
    const client = await connect();
    await client.sendApart(getRequest(`${base}/admin/requests?waitMs=60000&after=${next}`, fields));
    const ending = end();
    assert.equal((await client.next())?.status, 200, base);
    await ending;
  }
});

it('of 1,001 requests the first is gone, and numbers tell so', async (test) => {
  const { connect, read } = await start(test);
  const client = await connect();
  const { next } = await read();
  for (let i = 0; i < 1_001; i += 11) {
    await client.send(getRequest(itemPath(99)).repeat(11)).take(11);
  }
  for (const query of ['', `after=${next}`]) {
    const numbers = (await read(query)).requests.map(({ number }) => number);
    assert.deepEqual([numbers.length, numbers[0], numbers.at(-1)], [1_000, 2, 1_001]);
  }
});

it('in process, entries have their numbers', async (test) => {
  const service = await startTodoService();
  test.after(() => service.stop());
  await fetch(service.url + LIST);
  await fetch(service.url + LIST);
  const numbers = (await service.requests()).map(({ number }) => number);
  assert.deepEqual(numbers, [1, 2]);
});
