import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Fault } from '../../src/package/index.ts';
import { SEED } from '../support/admin.ts';
import { describeFaults, notedDelays, startFaults as start } from '../support/fault-lists.ts';
import { EVENTS, ITEM, itemPath, LIST } from '../support/paths.ts';
import { turns } from '../support/raw.ts';
import type { Answer, Todo } from '../support/requests.ts';
import { turnsUntil } from '../support/within.ts';
import { assertProblem } from './suite.ts';

const HOUR_MS = 3_600_000;

const shown = ({ status, text }: Answer) => [status, text];

describeFaults('faults that hit a request together', (situation) => {
  it('add up their delays, before and after', async (test) => {
    const { get, setFaults, hits } = await start(test, situation);
    const delays = notedDelays(test);
    const ms = HOUR_MS - 1_000;
    await setFaults(
      { delayMs: ms },
      { responseDelayMs: ms + 1, path: situation.basePath + LIST },
      { delayMs: ms + 10, responseDelayMs: ms + 100 },
      { delayMs: 1, method: 'POST' },
    );
    assert.equal((await get(LIST)).status, 200);
    assert.deepEqual(delays, [2 * ms + 10, 2 * ms + 101]);
    assert.deepEqual(await hits(), [1, 1, 1, 0]);
  });

  it('hide a request with an outcome from later faults with one, whose counts stay', async (test) => {
    const { get, setFaults, hits } = await start(test, situation);
    const statuses = async (count: number) => {
      const all: number[] = [];
      while (all.length < count) all.push((await get(LIST)).status);
      return all;
    };
    await setFaults({ status: 503, times: 1 }, { status: 429, times: 1 });
    assert.deepEqual(await statuses(3), [503, 429, 200]);
    assert.deepEqual(await hits(), [1, 1]);
    await setFaults({ status: 503, times: 2 }, { status: 429, skip: 1, times: 1 });
    assert.deepEqual(await statuses(5), [503, 503, 200, 429, 200]);
    await setFaults({ status: 503, rate: 0 }, { status: 502 }, { abort: 'before' });
    assert.deepEqual(await statuses(2), [502, 502]);
    assert.deepEqual(await hits(), [0, 2, 0]);
    await setFaults({ abort: 'after', times: 1 }, { status: 502 });
    await assert.rejects(get(LIST));
    assert.deepEqual(await statuses(1), [502]);
  });

  it('delay a request that is not carried out, but have no response to delay', async (test) => {
    const { get, setFaults, hits } = await start(test, situation);
    const delays = notedDelays(test);
    await setFaults({ responseDelayMs: HOUR_MS }, { abort: 'before' }, { delayMs: HOUR_MS });
    await assert.rejects(get(LIST));
    assert.deepEqual(delays, [HOUR_MS]);
    await setFaults({ responseDelayMs: HOUR_MS }, { abort: 'after' });
    await assert.rejects(get(LIST));
    assert.deepEqual(delays, [HOUR_MS, HOUR_MS]);
    assert.deepEqual(await hits(), [1, 1]);
  });

  it('apply those without an outcome to the response of another one', async (test) => {
    const { get, setFaults, hits } = await start(test, situation);
    const delays = notedDelays(test);
    await setFaults(
      { headers: { 'X-First': '1', 'Retry-After': '9' } },
      { status: 503, headers: { 'retry-after': '1' } },
      { responseDelayMs: HOUR_MS, headers: { 'X-Last': '2' } },
      { contentPatch: { title: null } },
    );
    const answer = await get(LIST);
    assertProblem(answer, 503, 'injected-fault');
    const { 'x-first': first, 'retry-after': retry, 'x-last': last } = answer.headers;
    assert.deepEqual([first, retry, last], ['1', '1', '2']);
    assert.deepEqual(delays, [HOUR_MS]);
    assert.deepEqual(await hits(), [1, 1, 1, 0], 'nothing real was patched');
  });

  it('are a slow service of which a part fails, and 401 without a token', async (test) => {
    const { get, setFaults, hits } = await start(test, situation);
    const delays = notedDelays(test);
    await setFaults({ skip: 1, status: 503 }, { delayMs: HOUR_MS });
    const statuses = [await get(LIST), await get(LIST)].map(({ status }) => status);
    assert.deepEqual(statuses, [200, 503]);
    assert.deepEqual(delays, [HOUR_MS, HOUR_MS]);
    const path = situation.basePath + LIST;
    const authorization = 'Bearer t1';
    await setFaults(
      { requestHeaders: { Authorization: authorization }, pass: true },
      { path, status: 401 },
    );
    assert.equal((await get(LIST)).status, 401);
    assert.equal((await get(LIST, { authorization })).status, 200);
    assert.equal((await get('/')).status, 200);
    assert.deepEqual(await hits(), [1, 1]);
  });

  it('end with one that passes, after those above it', async (test) => {
    const { get, setFaults, hits } = await start(test, situation);
    await setFaults(
      { headers: { 'X-Above': '1' } },
      { skip: 2, times: 1, pass: true },
      { status: 503 },
    );
    const seen: unknown[] = [];
    for (let sent = 0; sent < 4; sent++) {
      const { status, headers } = await get(LIST);
      seen.push(status, headers['x-above']);
    }
    assert.deepEqual(seen, [503, '1', 503, '1', 200, '1', 503, '1']);
    assert.deepEqual(await hits(), [4, 1, 3]);
  });
});

describeFaults('header fields of a fault', (situation) => {
  it('replace those of a real response of the same name, in any case, as they are written', async (test) => {
    const { get, open, setFaults } = await start(test, situation);
    const before = await get(itemPath(1));
    await setFaults(
      { headers: { etag: '"first"', 'x-limit': '4', Link: '<x>' } },
      { headers: { eTag: '"theirs"', 'X-Limit': '3', 'Set-Cookie': ['a', 'b'] } },
    );
    const response = await open(itemPath(1));
    const real = await response.raw.next();
    assert.deepEqual([real?.status, real?.text], shown(before));
    assert.deepEqual(response.fields('etag'), ['eTag: "theirs"']);
    assert.deepEqual(response.fields('x-limit'), ['X-Limit: 3']);
    assert.deepEqual(response.fields('link'), ['Link: <x>']);
    assert.deepEqual(response.fields('set-cookie'), ['Set-Cookie: a', 'Set-Cookie: b']);
    assert.deepEqual(response.fields('cache-control'), ['Cache-Control: no-cache']);
    await setFaults();
    assert.deepEqual((await get(itemPath(1))).headers.etag, before.headers.etag);
  });

  it('are those of any real response: 201, 204, 304, 404, 400', async (test) => {
    const { request, get, setFaults } = await start(test, situation);
    const { etag } = (await get(LIST)).headers;
    await setFaults({ headers: { 'X-Limit': '3', location: '/elsewhere' } });
    const headers = { 'content-type': 'application/json' };
    for (const [answer, status, cacheControl] of [
      [await request('POST', LIST, { headers, body: '{"title":"x"}' }), 201, undefined],
      [await request('POST', LIST, { headers, body: '{}' }), 400, undefined],
      [await request('DELETE', itemPath(2)), 204, undefined],
      [await get(itemPath(99)), 404, 'no-store'],
      [await get('/none'), 404, 'no-store'],
      [await get(`${LIST}?limit=1`, { 'if-none-match': '*' }), 304, 'no-cache'],
    ] as const) {
      const { 'x-limit': limit, location, 'cache-control': cache } = answer.headers;
      assert.deepEqual([answer.status, limit, location], [status, '3', '/elsewhere']);
      assert.equal(cache, cacheControl, `${status}`);
    }
    await setFaults({ headers: { 'CACHE-control': 'max-age=9' } });
    assert.equal((await get(itemPath(99))).headers['cache-control'], 'max-age=9');
    assert.equal((await get(LIST, { 'if-none-match': String(etag) })).status, 200);
  });

  it('are added to Vary, in one field', async (test) => {
    const { open, setFaults } = await start(test, situation);
    await setFaults({ headers: { vary: ['X-A', 'X-B'] } });
    for (const [path, expected] of [
      [LIST, 'X-A, X-B, Origin'],
      ['/', 'Accept, X-A, X-B, Origin'],
    ] as const) {
      const response = await open(path);
      await response.raw.next();
      assert.deepEqual(response.fields('vary'), [`vary: ${expected}`]);
    }
    for (const vary of ['', []]) {
      await setFaults({ headers: { vary } });
      const response = await open('/');
      await response.raw.next();
      assert.deepEqual(response.fields('vary'), ['vary: Accept, Origin']);
    }
  });

  it('do not change the page, whose policy protects it', async (test) => {
    const { get, setFaults, hits } = await start(test, situation);
    const accept = 'text/html';
    const { headers: before } = await get('/', { accept });
    await setFaults({ headers: { 'Content-Security-Policy': 'default-src *', 'X-Limit': '3' } });
    const { headers } = await get('/', { accept });
    assert.deepEqual({ ...headers, date: '' }, { ...before, date: '' });
    const tag = { 'if-none-match': String(before.etag) };
    const unchanged = await get('/', { accept, ...tag });
    assert.deepEqual([unchanged.status, unchanged.headers['x-limit']], [304, undefined]);
    assert.equal((await get('/')).headers['x-limit'], '3', 'the index is not the page');
    assert.deepEqual(await hits(), [3]);
  });

  it('keep a response whose type they set from acting as a page of the service', async (test) => {
    const { get, setFaults } = await start(test, situation);
    const headers = { 'content-TYPE': 'text/html', 'Content-Security-Policy': 'default-src *' };
    for (const fault of [
      { headers },
      { status: 200, headers, content: '<script>alert(1)</script>' },
      { status: 200, content: { a: 1 }, headers },
    ]) {
      await setFaults(fault);
      const answer = await get(LIST);
      assert.equal(answer.headers['content-type'], 'text/html');
      const policies = [answer.headers['content-security-policy']].flat().join().split(/, ?/);
      assert.deepEqual(policies.sort(), ['default-src *', 'sandbox']);
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    }
    await setFaults({ headers: { 'X-Limit': '3' } });
    assert.equal((await get(LIST)).headers['content-security-policy'], undefined);
  });

  it('can be read by pages of other origins, in that response alone', async (test) => {
    const { get, setFaults } = await start(test, situation);
    const origin = 'http://localhost:5173';
    const exposed = async () =>
      (await get(LIST, { origin })).headers['access-control-expose-headers'];
    const usual = await exposed();
    const headers = { 'X-RateLimit-Remaining': '0', 'retry-after': '1', RateLimit: 'r=0' };
    for (const fault of [{ headers }, { status: 429, headers }]) {
      await setFaults({ ...fault, times: 1 });
      assert.equal(await exposed(), `${usual}, X-RateLimit-Remaining, RateLimit`);
      assert.equal(await exposed(), usual);
    }
  });

  it('do not replace the id that the client has sent', async (test) => {
    const { get, setFaults } = await start(test, situation);
    await setFaults({ headers: { 'X-Request-Id': 'theirs' } });
    const ids = [await get(LIST), await get(LIST, { 'x-request-id': 'mine' })];
    assert.deepEqual(
      ids.map(({ headers }) => headers['x-request-id']),
      ['theirs', 'mine'],
    );
  });
});

describeFaults('a contentPatch', (situation) => {
  it('changes each item of a list, an item, and a response to a write, but nothing stored', async (test) => {
    const { get, request, setFaults, hits } = await start(test, situation);
    const before = (await get(LIST)).json<Todo[]>();
    const patch = { priority: null, extra: { deep: [1] }, title: 'theirs', absent: null };
    const changed = ({ priority: _, ...item }: Todo) => {
      return { ...item, title: 'theirs', extra: { deep: [1] } };
    };
    await setFaults({ contentPatch: patch });
    const headers = { 'content-type': 'application/json' };
    assert.deepEqual((await get(LIST)).json(), before.map(changed));
    assert.deepEqual((await get(`${LIST}?limit=1`)).json(), before.slice(0, 1).map(changed));
    assert.deepEqual((await get(`${LIST}?id.gt=7`)).json(), []);
    assert.deepEqual((await get(itemPath(1))).json(), before.slice(0, 1).map(changed)[0]);
    const created = await request('POST', LIST, { headers, body: '{"title":"mine"}' });
    assert.deepEqual([created.status, created.json<Todo>().title], [201, 'theirs']);
    const batch = await request('POST', `${LIST}/batch`, { headers, body: '[{"title":"other"}]' });
    assert.equal(batch.json<Todo[]>()[0]?.title, 'theirs');
    const put = await request('PUT', itemPath(1), { headers, body: '{"priority":1}' });
    assert.deepEqual([put.json<Todo>().title, put.json<Todo>().priority], ['theirs', undefined]);
    const deleted = await request('DELETE', `${LIST}?title.eq=other`);
    assert.deepEqual(deleted.json(), { deleted: 1, title: 'theirs', extra: { deep: [1] } });
    assert.deepEqual(await hits(), [8]);
    await setFaults();
    const after = [
      { ...before[0], priority: 1 },
      ...before.slice(1),
      { ...created.json(), title: 'mine' },
    ];
    const stored = (await get(LIST)).json<Todo[]>();
    assert.deepEqual(
      stored.map(({ id, title, priority }) => [id, title, priority]),
      after.map(({ id, title }, at) => [id, title, stored[at]?.priority]),
    );
    assert.equal(stored[0]?.priority, 1);
  });

  it('follows the one before it, and merges objects as RFC 7396 says', async (test) => {
    const { get, setFaults } = await start(test, situation);
    await setFaults(
      { contentPatch: { title: { a: 'b', c: { d: 'e', f: 'g' } }, completed: [1, { h: null }] } },
      { contentPatch: { title: { a: 'z', c: { f: null } }, completed: { i: null } } },
    );
    const { title, completed } = (await get(itemPath(1))).json<Record<string, unknown>>();
    assert.deepEqual([title, completed], [{ a: 'z', c: { d: 'e' } }, {}]);
  });

  it('keeps all digits and characters, of the content and of its own', async (test) => {
    const quotes = 'a "quoted\\" [text], {é} 𝄞 \\';
    const id = situation.variant.name === 'b' ? 2n ** 62n : 2 ** 31 - 1;
    const { get, setFaults, list } = await start(test, situation, [{ id, title: quotes }]);
    const plain = (await get(LIST)).text;
    const big = 123456789012345678901234567890n;
    await list.faults([{ contentPatch: { extra: [big, 'é'] } }]);
    for (const text of [(await get(LIST)).text, `[${(await get(itemPath(String(id)))).text}]`]) {
      assert.equal(text, plain.replace(/\}\]$/, `,"extra":[${big},"é"]}]`));
    }
    await setFaults();
  });

  it('is not cached, and has no entity tag; an If-None-Match has no effect', async (test) => {
    const { get, request, setFaults } = await start(test, situation);
    for (const path of [LIST, itemPath(1), `${LIST}?limit=2`, '/']) {
      await setFaults();
      const { headers: before } = await get(path);
      const condition = { 'if-none-match': String(before.etag) };
      assert.equal((await get(path, condition)).status, 304);
      await setFaults({ contentPatch: { extra: 1 } });
      const answer = await get(path, condition);
      assert.deepEqual([answer.status, answer.headers.etag], [200, undefined], path);
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.equal(answer.headers.link, before.link);
      assert.equal((await request('HEAD', path, { headers: condition })).status, 200);
    }
    await setFaults({ contentPatch: { extra: 1 }, headers: { 'cache-control': 'max-age=1' } });
    assert.equal((await get(LIST)).headers['cache-control'], 'max-age=1');
  });

  it('without a hit leaves the response 304, with the fields of other faults', async (test) => {
    const seed = Array.from({ length: 600 }, () => ({ title: 'x' }));
    const { get, setFaults, hits } = await start(test, situation, seed);
    const path = `${LIST}?limit=300`;
    const etag = String((await get(path)).headers.etag);
    const patch = { contentPatch: { z: 'y'.repeat(4_000) } };
    for (const [headers, name, value] of [
      [{ 'X-H': '1' }, 'x-h', '1'],
      [{ 'Cache-Control': 'max-age=9' }, 'cache-control', 'max-age=9'],
      [{ ETag: '"theirs"' }, 'etag', '"theirs"'],
    ] as const) {
      await setFaults(patch, { headers });
      const { status, text, ...answer } = await get(path, { 'if-none-match': etag });
      assert.deepEqual([status, text, answer.headers[name]], [304, '', value]);
      assert.deepEqual(await hits(), [0, 1]);
    }
  });

  it('leaves other conditions alone', async (test) => {
    const { get, request, setFaults } = await start(test, situation);
    const etag = String((await get(itemPath(1))).headers.etag);
    await setFaults({ contentPatch: { extra: 1 } });
    const put = (headers: Record<string, string>) => {
      const fields = { 'content-type': 'application/json', ...headers };
      return request('PUT', itemPath(1), { headers: fields, body: '{"priority":4}' });
    };
    assert.equal((await put({ 'if-none-match': etag })).status, 412);
    assert.equal((await get(itemPath(1), { 'if-match': '"x"' })).status, 412);
    assert.equal(
      (await get(itemPath(1), { 'if-match': etag })).json<Todo & { extra: 1 }>().extra,
      1,
    );
    assert.equal((await put({ 'if-match': etag })).status, 200);
  });

  it('has no hit where there is nothing to patch, and then no other effect', async (test) => {
    const { get, request, setFaults, hits, open } = await start(test, situation);
    const headers = { 'X-Patched': 'yes' };
    const delays = notedDelays(test);
    await setFaults({
      contentPatch: { title: 'theirs' },
      headers,
      times: 1,
      responseDelayMs: HOUR_MS,
    });
    for (const answer of [
      await get(itemPath(99)),
      await request('DELETE', itemPath(3)),
      await request('OPTIONS', LIST),
      await get('/', { accept: 'text/html' }),
    ]) {
      assert.equal(answer.headers['x-patched'], undefined);
      assert.doesNotMatch(answer.text, /theirs/);
    }
    const events = await open(EVENTS);
    await turnsUntil('the stream is ready', () => events.content.includes('event: ready'));
    assert.deepEqual([await hits(), delays], [[0], []]);
    assert.equal((await get(LIST)).headers['x-patched'], 'yes');
    assert.equal((await get(LIST)).headers['x-patched'], undefined);
    assert.deepEqual([await hits(), delays], [[1], [HOUR_MS]]);
    await setFaults({ contentPatch: { id: 7 } });
    await request('PUT', itemPath(1), {
      headers: { 'content-type': 'application/json' },
      body: '{"title":"changed"}',
    });
    await turnsUntil('the event has arrived', () => events.content.includes('event: put'));
    assert.match(events.content, /event: put\ndata: \{"id":1,/);
    events.raw.destroy();
  });

  it('patches no more responses than it has hits, of requests at the same time', async (test) => {
    const { get, setFaults, list } = await start(test, situation);
    await setFaults({ contentPatch: { title: 'theirs' }, times: 1, responseDelayMs: HOUR_MS });
    const held = [get(itemPath(1)), get(itemPath(2))];
    await list.waitForRequests({ route: ITEM }, { count: 2 });
    await setFaults();
    const texts = (await Promise.all(held)).map(({ text }) => text);
    assert.equal(texts.filter((text) => text.includes('theirs')).length, 1, texts.join());
  });

  it('has no hit if the content has, or would have, more than 1 MiB', async (test) => {
    const seed = Array.from({ length: 2_000 }, () => ({
      title: 'x',
      description: 'y'.repeat(480),
    }));
    const { get, setFaults, hits } = await start(test, situation, seed);
    const plain = await get(LIST);
    const bytes = Buffer.byteLength(plain.text);
    assert(bytes > 1024 * 1024);
    const short = `${LIST}?limit=${Math.floor((1_000_000 / bytes) * seed.length)}`;
    const shorter = await get(short);
    // Twice as many bytes as characters.
    const pad = 'é'.repeat(10);
    await setFaults({ contentPatch: { extra: 1 } }, { contentPatch: { extra: pad } });
    const long = await get(LIST);
    assert(long.text === plain.text);
    assert.equal(long.headers.etag, plain.headers.etag);
    assert.equal((await get(LIST, { 'if-none-match': String(plain.headers.etag) })).status, 304);
    assert.deepEqual(await hits(), [0, 0]);
    const patched = await get(short);
    assert(patched.text === shorter.text.replaceAll('}', ',"extra":1}'));
    assert.deepEqual(await hits(), [1, 0], 'the second one would make it too long');
    assert.equal(patched.headers['content-length'], String(Buffer.byteLength(patched.text)));
    await setFaults({ contentPatch: { description: null } });
    assert((await get(LIST)).text === plain.text, 'although it would be short');
    assert.deepEqual(await hits(), [0]);
  });
});

describeFaults('a response that stalls', (situation) => {
  it('has its header section and half of its content until the faults change', async (test) => {
    const { open, setFaults, hits } = await start(test, situation);
    for (const [fault, path, status] of [
      [{ abort: 'stall' }, LIST, 200],
      [{ abort: 'stall', status: 502, content: '0123456789' }, LIST, 502],
      [{ abort: 'stall', method: 'GET', route: ITEM }, itemPath(1), 200],
    ] as const) {
      await setFaults(fault);
      const response = await open(path);
      await turnsUntil('half has arrived', () => response.content !== '');
      await turns(20);
      assert.match(response.head, new RegExp(`^HTTP/1.1 ${status} `));
      assert.equal(response.content.length, Math.floor(response.contentLength / 2));
      assert.equal(response.raw.hasEnded, false);
      assert.deepEqual(await hits(), [1]);
      await setFaults();
      assert.equal(await response.raw.ended, 'closed');
      assert.equal(response.content.length, Math.floor(response.contentLength / 2));
    }
  });

  it('ends with its list: at a reset, and at a stop', async (test) => {
    const { open, setFaults, list } = await start(test, situation);
    for (const end of [() => list.reset(), () => list.stop()]) {
      await setFaults({ method: 'GET', abort: 'stall' });
      const response = await open(LIST);
      await turnsUntil('half has arrived', () => response.content !== '');
      await end();
      assert.equal(await response.raw.ended, 'closed');
    }
  });

  it('of a stream has half of its first part', async (test) => {
    const { open, setFaults, request } = await start(test, situation);
    await setFaults({ route: EVENTS, abort: 'stall' });
    const response = await open(EVENTS);
    await turnsUntil('a part has arrived', () => response.content !== '');
    await request('DELETE', itemPath(1));
    await turns(20);
    assert.match(response.content, /retry/);
    assert.doesNotMatch(response.content, /\n\n|delete/);
    await setFaults();
    assert.equal(await response.raw.ended, 'closed');
  });

  it('without content is sent as it is', async (test) => {
    const { request, setFaults, get } = await start(test, situation);
    await setFaults({ abort: 'stall' });
    assert.equal((await request('DELETE', itemPath(1))).status, 204);
    assert.equal((await request('HEAD', LIST)).status, 200);
    assert.equal((await get(LIST, { 'if-none-match': '*' })).status, 304);
    await setFaults({ status: 204, abort: 'stall' });
    assert.equal((await get(LIST)).status, 204);
  });
});

/** A combination, and what a client sees of it. */
interface Combination {
  readonly faults: readonly Fault[];
  readonly request?: readonly [method: string, path: string, fields?: string];
  readonly status: number;
  /** Header fields that the response has, or has not (undefined). */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The whole content, or what it matches. */
  readonly content?: string | RegExp;
  /** The part of the declared content that arrives before the faults change. */
  readonly part?: 'all' | 'half' | 'none';
  readonly delays?: readonly number[];
  readonly hits: readonly number[];
}

const PATCH = { contentPatch: { title: 'theirs' } };
const FIELDS = { headers: { 'X-Limit': '3' } };
const THEIRS = /"title":"theirs"/;

const COMBINATIONS: Readonly<Record<string, Combination>> = {
  'a delay and a stall': {
    faults: [{ delayMs: HOUR_MS }, { abort: 'stall' }],
    ...{ status: 200, part: 'half', delays: [HOUR_MS], hits: [1, 1] },
  },
  'a late stall of a status': {
    faults: [{ responseDelayMs: HOUR_MS }, { status: 502, content: '0123', abort: 'stall' }],
    ...{ status: 502, part: 'half', delays: [HOUR_MS], content: '01', hits: [1, 1] },
  },
  'a patch, truncated': {
    faults: [PATCH, { abort: 'truncate' }],
    ...{ status: 200, part: 'half', content: /^\{"id":1,"title":"theirs"/, hits: [1, 1] },
    headers: { etag: undefined, 'cache-control': 'no-store' },
  },
  'a patch and a stall in one': {
    faults: [{ ...PATCH, ...FIELDS, abort: 'stall' }],
    ...{ status: 200, part: 'half', hits: [1] },
    headers: { 'x-limit': '3', etag: undefined },
  },
  'header fields and 304': {
    faults: [FIELDS],
    request: ['GET', itemPath(1), 'If-None-Match: *\r\n'],
    ...{ status: 304, part: 'none', headers: { 'x-limit': '3' }, hits: [1] },
  },
  'header fields, a patch and what would be 304': {
    faults: [FIELDS, PATCH],
    request: ['GET', itemPath(1), 'If-None-Match: *\r\n'],
    ...{ status: 200, headers: { 'x-limit': '3', etag: undefined }, content: THEIRS, hits: [1, 1] },
  },
  'an entity tag of a fault, and a patch': {
    faults: [PATCH, { headers: { ETag: '"theirs"' } }],
    ...{ status: 200, headers: { etag: '"theirs"' }, content: THEIRS, hits: [1, 1] },
  },
  'passing none, by its rate': {
    faults: [{ rate: 0, pass: true }, { status: 503 }],
    ...{ status: 503, hits: [0, 1] },
  },
  'passing all, by its rate, after a patch': {
    faults: [PATCH, { rate: 1, pass: true }, { status: 503 }],
    ...{ status: 200, content: THEIRS, hits: [1, 1, 0] },
  },
  'a patch of HEAD': {
    faults: [PATCH],
    request: ['HEAD', itemPath(1)],
    ...{ status: 200, part: 'none', hits: [1] },
    headers: { etag: undefined, 'cache-control': 'no-store' },
  },
  'a patch and a stall of HEAD': {
    faults: [PATCH, { abort: 'stall' }],
    request: ['HEAD', LIST],
    ...{ status: 200, part: 'none', hits: [1, 1] },
  },
  'a patch of a page with Link': {
    faults: [PATCH],
    request: ['GET', `${LIST}?limit=2`],
    ...{ status: 200, content: /^\[\{[^[]*"theirs"[^[]*"theirs"[^[]*\}\]$/, hits: [1] },
    headers: {
      link: '<?limit=2&offset=0>; rel="first", <?limit=2&offset=2>; rel="next", <?limit=2&offset=2>; rel="last"',
      'x-total-count': '3',
    },
  },
  'a patch and an error': {
    faults: [PATCH],
    request: ['GET', itemPath(99)],
    ...{
      status: 404,
      content: /was not found/,
      headers: { 'cache-control': 'no-store' },
      hits: [0],
    },
  },
  'a patch and an injected success': {
    faults: [PATCH, { status: 200, content: { title: 'injected' } }],
    ...{ status: 200, content: '{"title":"injected"}', hits: [0, 1] },
  },
  'all delays of an injected error': {
    faults: [
      { status: 503, delayMs: HOUR_MS, times: 1 },
      { delayMs: HOUR_MS },
      { responseDelayMs: HOUR_MS },
    ],
    ...{ status: 503, delays: [2 * HOUR_MS, HOUR_MS], hits: [1, 1, 1] },
  },
};

describeFaults('a combination', (situation) => {
  for (const [name, expected] of Object.entries(COMBINATIONS)) {
    it(name, async (test) => {
      const { open, setFaults, hits } = await start(test, situation, SEED);
      const delays = notedDelays(test);
      const { faults, request: [method, path, fields] = ['GET', itemPath(1)] } = expected;
      await setFaults(...faults);
      const response = await open(path, fields, method);
      const { part = 'all' } = expected;
      const length = () =>
        part === 'none' ? 0 : Math.floor(response.contentLength / (part === 'half' ? 2 : 1));
      await turnsUntil('the response has arrived', () => {
        return response.head !== '' && response.content.length >= length();
      });
      await turns(5);
      assert.match(response.head, new RegExp(`^HTTP/1.1 ${expected.status} `));
      assert.equal(response.content.length, length());
      for (const [field, value] of Object.entries(expected.headers ?? {})) {
        const lines = response.fields(field).map((line) => line.slice(field.length + 2));
        assert.deepEqual(lines, value === undefined ? [] : [value], field);
      }
      const { content = /^/ } = expected;
      if (typeof content === 'string') assert.equal(response.content, content);
      else assert.match(response.content, content);
      assert.deepEqual(delays, expected.delays ?? []);
      assert.deepEqual(await hits(), expected.hits);
    });
  }

  it('a patch of HEAD has the header fields of the GET', async (test) => {
    const { open, setFaults } = await start(test, situation);
    await setFaults({ contentPatch: { extra: 'é' } }, { headers: { 'X-Limit': '3' } });
    for (const path of [itemPath(1), LIST, `${LIST}?limit=2`, '/']) {
      const heads: string[] = [];
      for (const method of ['GET', 'HEAD']) {
        const response = await open(path, '', method);
        await response.raw.next(method === 'GET');
        heads.push(response.head.replace(/^Date: .*$/m, ''));
      }
      assert.equal(heads[0], heads[1]);
    }
  });
});

describeFaults('an invalid fault', (situation) => {
  it('has a violation for each contradiction, with its place', async (test) => {
    const { violations } = await start(test, situation);
    const effects = 'delayMs, responseDelayMs, status, headers, contentPatch, abort, pass';
    const zero = 'must not be 0 without another effect; pass keeps requests from later faults';
    const sending = 'must not be combined with abort, unless that is "truncate" or "stall"';
    const nothing =
      'must not be combined with status, nor with abort "before" or "reset", which carry nothing out; use delayMs';
    const unsent =
      'must not be combined with abort "before", "reset" or "after", which send nothing';
    const unpatched =
      'must not be combined with status, nor with abort, unless that is "truncate" or "stall"';
    const ok = { contentPatch: { a: 1 } };
    for (const [fault, ...expected] of [
      [{}, `must have one of ${effects}`],
      [{ rate: 0.5, pass: false, headers: {}, contentPatch: {} }, `must have one of ${effects}`],
      // In process, the member is there.
      [{ contentPatch: { a: undefined } }, `must have one of ${effects}`],
      [{ delayMs: 0 }, `delayMs ${zero}`],
      [{ delayMs: 0, delayMaxMs: 0, headers: {} }, `delayMs ${zero}`],
      [{ responseDelayMs: 0, delayMs: 0 }, `delayMs ${zero}`, `responseDelayMs ${zero}`],
      [{ ...ok, status: 200 }, `contentPatch ${unpatched}`],
      [{ responseDelayMs: 1, status: 503 }, `responseDelayMs ${nothing}`],
      [{ responseDelayMs: 1, abort: 'before' }, `responseDelayMs ${nothing}`],
      [{ responseDelayMs: 1, abort: 'reset' }, `responseDelayMs ${nothing}`],
      [{ content: 'x', delayMs: 1 }, 'content must come with a status'],
      [{ content: null, abort: 'truncate' }, 'content must come with a status'],
      [{ pass: true, status: 503 }, 'pass must not be combined with status'],
      [{ pass: true, delayMs: 0, ...ok }, 'pass must not be combined with delayMs, contentPatch'],
      [{ pass: 1 }, 'pass must be true or false, not 1'],
      [{ contentPatch: [] }, 'contentPatch must be an object, not an array'],
      [{ contentPatch: 'x' }, 'contentPatch must be an object, not "x"'],
      [{ contentPatch: null }, 'contentPatch must not be null'],
      [
        { contentPatch: { a: 'é'.repeat(2_045) } },
        'contentPatch must have at most 4096 bytes of JSON',
      ],
      [{ patch: { a: 1 } }, 'patch is unknown; did you mean contentPatch?'],
      [
        { abort: 'later' },
        'abort must be "before", "reset", "after", "truncate" or "stall", not "later"',
      ],
      [
        { pass: true, content: 'x', headers: { a: 'b' } },
        'pass must not be combined with headers',
        'content must come with a status',
      ],
    ] as const) {
      assert.deepEqual(await violations(fault), expected, JSON.stringify(fault));
    }
    for (const abort of ['before', 'reset', 'after']) {
      assert.deepEqual(await violations({ status: 503, abort }), [`status ${sending}`]);
      assert.deepEqual(await violations({ headers: { a: 'b' }, abort }), [`headers ${unsent}`]);
      assert.deepEqual(await violations({ ...ok, abort }), [`contentPatch ${unpatched}`]);
    }
  });

  it('is not one with members that have no effect', async (test) => {
    const { setFaults, list } = await start(test, situation);
    const faults: Fault[] = [
      { status: 503, pass: false, contentPatch: {}, headers: {} },
      { abort: 'before', headers: {}, contentPatch: {} },
      { pass: true, headers: {}, contentPatch: {}, requestHeaders: {}, query: {} },
      { responseDelayMs: 1, abort: 'after' },
      { contentPatch: { a: 'é'.repeat(2_044) }, abort: 'stall', responseDelayMs: 0 },
      { delayMs: 0, delayMaxMs: 1 },
      { delayMs: 0, status: 503 },
    ];
    await setFaults(...faults);
    assert.deepEqual(
      await list.faults(),
      faults.map((fault) => ({ ...fault, hits: 0 })),
    );
  });

  it('has content or a patch deeper than 29', async (test) => {
    const { setFaults, list, client, at } = await start(test, situation);
    const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    const faults = [{ status: 200, content: nested(29) }, { contentPatch: { a: nested(28) } }];
    await setFaults(...faults);
    assert.deepEqual(
      await list.faults(),
      faults.map((fault) => ({ ...fault, hits: 0 })),
    );
    assert.equal((await client.get(at(LIST))).text, `${'['.repeat(29)}${']'.repeat(29)}`);
    for (const fault of [
      { status: 200, content: nested(30) },
      { contentPatch: { a: nested(29) } },
    ]) {
      await assert.rejects(list.faults([fault]), /must be a JSON value .*, at most 29 deep/);
    }
    assert.equal((await list.faults()).length, 2);
  });
});
