import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { getHeapStatistics } from 'node:v8';
import type { LogFields } from '../../src/lib/log.ts';
import { Table } from '../../src/lib/table/index.ts';
import { variantB as variant } from '../../src/service/todo/variant-b.ts';
import { VERSION } from '../../src/service/version.ts';
import { startAdmin } from '../support/admin.ts';
import { ManualClock, ManualTimers } from '../support/clock.ts';
import { EventClient } from '../support/events.ts';
import { itemPath, LIST } from '../support/paths.ts';
import { exchangeBytes } from '../support/raw.ts';
import { createRequest, getRequest } from '../support/raw-requests.ts';
import { startApp } from '../support/service.ts';
import { until } from '../support/until.ts';
import { turnsUntil, within } from '../support/within.ts';
import { assertProblem } from './suite.ts';

/** A description of the maximum length. */
const description = 'y'.repeat(1_000);

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

/** The samples of an exposition, keyed by name and labels. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name = '', value = ''] = /^(\S+) (\S+)$/.exec(line) ?? assert.fail(line);
      return [name, Number(value)];
    }),
  );
}

/** The reasons of counters. */
const REASONS = {
  todo_requests_refused_total: 'connections permits places memory bulk-writes items streams'.split(
    ' ',
  ),
  todo_connections_cut_total: 'unread silent idle time'.split(' '),
};

describe('metrics', () => {
  it('are in the Prometheus text format, each with help and type', async (test) => {
    const { client } = await startApp(test, variant);
    await client.get(LIST);
    const { headers, text } = await client.get('/metrics');
    assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    const described = new Set([...text.matchAll(/^# HELP (\S+) \S.*$/gm)].map(([, it]) => it));
    const typed = new Set(
      [...text.matchAll(/^# TYPE (\S+) (?:gauge|counter|histogram)$/gm)].map(([, it]) => it),
    );
    assert.deepEqual(described, typed);
    for (const sample of samplesOf(text).keys()) {
      const [metric = ''] = sample.split('{');
      assert(typed.has(metric.replace(/_(?:bucket|sum|count)$/, '')) || typed.has(metric), sample);
    }
  });

  it('count requests by method, route and status', async (test) => {
    const { client, port } = await startApp(test, variant);
    await client.get(LIST);
    await client.get(LIST);
    await client.post(LIST, { title: 'x' });
    await client.get(itemPath(1));
    await client.get(itemPath(999));
    await client.get('/none/such');
    await client.get('/none/other');
    await client.get(`${LIST}?search=100%`);
    await client.request('TRACE', LIST);
    for (const method of ['PROPFIND', 'REPORT']) await client.request(method, LIST);
    await exchangeBytes(port, getRequest(LIST).replace('GET', 'BREW'));
    await exchangeBytes(port, getRequest('h:80').replace('GET', 'CONNECT'));
    const { text } = await client.get('/metrics');
    const samples = samplesOf(text);
    const count = (method: string, route: string | undefined, status: number) => {
      const path = route === undefined ? '' : `http_route="${route}",`;
      const labels = `http_request_method="${method}",${path}http_response_status_code="${status}",url_scheme="http"`;
      return samples.get(`http_server_request_duration_seconds_count{${labels}}`);
    };
    assert.equal(count('GET', LIST, 200), 2);
    assert.equal(count('POST', LIST, 201), 1);
    assert.equal(count('GET', `${LIST}/{id}`, 200), 1);
    assert.equal(count('GET', `${LIST}/{id}`, 404), 1);
    assert.equal(count('GET', undefined, 404), 2, 'unknown paths have no route');
    assert.equal(count('GET', LIST, 400), 1, 'a malformed query string is no other path');
    assert.equal(count('TRACE', LIST, 405), 1, 'a 405 has the route');
    assert.equal(count('_OTHER', LIST, 405), 2, 'clients cannot create series');
    assert.doesNotMatch(text, /BREW|FOO|PROPFIND/);
    assert.equal(count('_OTHER', undefined, 400), 1, 'bytes that are not a request');
    assert.equal(count('CONNECT', undefined, 501), 1);
    const active = (method: string) =>
      samples.get(`http_server_active_requests{http_request_method="${method}",url_scheme="http"}`);
    assert.equal(active('GET'), 1, 'this one');
    assert.deepEqual([active('POST'), active('_OTHER'), active('MKCOL')], [0, 0, undefined]);
  });

  it('cover items, commits and streams', async (test) => {
    const { client, baseUrl } = await startApp(test, variant);
    for (let i = 0; i < 3; i++) await client.post(LIST, { title: 'x' });
    await client.delete(itemPath(1));
    // Requests that change nothing.
    await client.put(itemPath(2), { title: 'x' });
    await client.delete(itemPath(1));
    await client.post(LIST, {});
    const events = await EventClient.open(baseUrl);
    const samples = samplesOf((await client.get('/metrics')).text);
    events.close();
    assert.equal(samples.get(`todo_service_info{version="${VERSION}",variant="b"}`), 1);
    assert.equal(samples.get('todo_rows'), 2);
    assert.equal(samples.get('todo_commits_total'), 4);
    assert.equal(samples.get('todo_event_streams'), 1);
    // Counters have all reasons from the start, so that a first increase can be seen.
    for (const [name, reasons] of Object.entries(REASONS)) {
      for (const reason of reasons) assert.equal(samples.get(`${name}{reason="${reason}"}`), 0);
    }
  });

  it('have the memory of each part, in bytes', async (test) => {
    const seed = Array.from({ length: 10_000 }, () => ({ title: 'a title', description }));
    const { client, baseUrl } = await startAdmin(test, variant, { seed });
    const events = await EventClient.open(baseUrl);
    await client.patch(`${LIST}?id.lte=5000`, { title: 'another title' });
    await client.get(itemPath(1));
    const samples = samplesOf((await client.get('/metrics')).text);
    events.close();
    const isBetween: Record<string, readonly [number, number]> = {
      rows: [10_000 * 1_000, 10_000 * 3_000],
      cache: [1_000, 10_000 * 3_000],
      history: [5_000 * 100, 5_000 * 3_000],
    };
    for (const [part, [least, most]] of Object.entries(isBetween)) {
      const bytes = samples.get(`todo_bytes{part="${part}"}`) ?? -1;
      assert(bytes >= least && bytes <= most, `${part}: ${bytes}`);
    }
    const parts = [...samples.keys()].filter((sample) => sample.startsWith('todo_bytes'));
    assert.equal(parts.length, 3, 'each byte is in one part, so that they can be added up');
  });

  it('have memory and times of the process, in bytes and seconds, if a test has replaced the time', async (test) => {
    const { client } = await startApp(test, variant);
    const mocked = test.mock.getter(globalThis, 'performance', () => ({ now: () => 0 }));
    const samples = samplesOf((await client.get('/metrics')).text);
    mocked.mock.restore();
    const { user, system } = process.cpuUsage();
    const { heapUsed, rss } = process.memoryUsage();
    for (const [name, expected] of Object.entries({
      v8js_memory_heap_used_bytes: heapUsed,
      v8js_memory_heap_limit_bytes: getHeapStatistics().heap_size_limit,
      process_resident_memory_bytes: rss,
      process_cpu_seconds_total: (user + system) / 1e6,
      process_start_time_seconds: performance.timeOrigin / 1_000,
    })) {
      const value = samples.get(name) ?? Number.NaN;
      assert(value > expected / 2 && value < expected * 2, `${name} ${value}, not ${expected}`);
    }
  });

  it('count the open connections', async (test) => {
    const { connect } = await startAdmin(test, variant);
    const scraper = await connect();
    const count = async () => {
      const metrics = await scraper.send(getRequest('/metrics')).next();
      return samplesOf(metrics?.text ?? '').get('todo_open_connections');
    };
    assert.equal(await count(), 1);
    const connections = [await connect(), await connect(), await connect()];
    for (const each of connections) await each.send(getRequest('/livez')).next();
    assert.equal(await count(), 4);
    for (const each of connections) each.socket.destroy();
    await until('the connections have closed', async () => (await count()) === 1);
  });

  it('have the part of the time in which the event loop is busy', async (test) => {
    const { client } = await startApp(test, variant);
    let now = performance.now();
    test.mock.method(performance, 'now', () => now);
    const uses: { active: number; idle: number }[] = [];
    const utilization = test.mock.method(
      performance,
      'eventLoopUtilization',
      (since = { active: 0, idle: 0 }) => {
        const { active, idle } = uses.at(-1) ?? assert.fail();
        const busy = active - since.active;
        return { active, idle, utilization: busy / (busy + idle - since.idle) };
      },
    );
    const ratioAfter = async (ms: number, active: number, idle: number) => {
      now += ms;
      uses.push({ active, idle });
      const samples = samplesOf((await client.get('/metrics')).text);
      return samples.get('nodejs_eventloop_utilization_ratio');
    };
    await ratioAfter(60_000, 1_000, 1_000);
    await ratioAfter(15_000, 2_000, 15_000);
    assert.equal(await ratioAfter(15_000, 5_000, 27_000), 0.2, 'since the last scrape');
    assert.equal(await ratioAfter(1, 6_000, 26_000 + 3_000), 4 / 18, 'since the one before');
    assert(utilization.mock.callCount() > 0);
  });

  it('leave out what the system does not tell', async (test) => {
    const { client } = await startApp(test, variant);
    const whole = samplesOf((await client.get('/metrics')).text);
    const broken = () => {
      throw new Error('EMFILE: too many open files, uv_resident_set_memory');
    };
    test.mock.method(process.memoryUsage, 'rss', broken);
    test.mock.method(process, 'cpuUsage', broken);
    test.mock.method(performance, 'eventLoopUtilization', broken);
    const { status, text } = await client.get('/metrics');
    assert.equal(status, 200);
    const missing = [...whole.keys()].filter((name) => !samplesOf(text).has(name));
    assert.deepEqual(
      missing.filter((name) => !name.startsWith('http_')),
      [
        'process_resident_memory_bytes',
        'process_cpu_seconds_total',
        'nodejs_eventloop_utilization_ratio',
      ],
    );
  });

  it('have the duration of a request in seconds; the log and the journal in milliseconds', async (test) => {
    const clock = new ManualClock(test);
    const lines: LogFields[] = [];
    const { admin, client, connect, requests, setFaults } = await startAdmin(test, variant, {
      env: { ACCESS_LOG: 'on' },
      log: (_level, message, line) => {
        if (message === 'request' && line?.method === 'GET') lines.push(line);
      },
    });
    await setFaults({ delayMs: 3_600_000 });
    const slow = await (await connect()).sendApart(getRequest(LIST));
    clock.skip(3_000);
    await admin('DELETE', '/admin/faults');
    assert.equal((await slow.next())?.status, 200);
    const labels = `http_request_method="GET",http_route="${LIST}",http_response_status_code="200"`;
    const samples = samplesOf((await client.get('/metrics')).text);
    const sample = (name: string, le = '') =>
      samples.get(`http_server_request_duration_seconds_${name}{${labels},url_scheme="http"${le}}`);
    // Buckets are cumulative.
    const buckets = ['2.5', '5', '10', '+Inf'].map((le) => sample('bucket', `,le="${le}"`));
    assert.deepEqual(buckets, [0, 1, 1, 1]);
    const [entry] = await requests();
    for (const ms of [1_000 * (sample('sum') ?? 0), lines[0]?.durationMs, entry?.durationMs]) {
      assert.equal(Math.round(Number(ms)), 3_000);
    }
  });
});

describe('the access log', () => {
  const logged = async (test: TestContext) => {
    const lines: LogFields[] = [];
    const service = await startAdmin(test, variant, {
      seed: [],
      env: { ACCESS_LOG: 'on' },
      log: (_level, message, line) => {
        if (message === 'request' && line) lines.push(line);
      },
    });
    const until = async (count: number) => {
      await turnsUntil(`${count} lines`, () => lines.length >= count);
      assert.equal(lines.length, count);
      return lines;
    };
    return { ...service, until };
  };

  it('has a line for each request', async (test) => {
    const { client, until } = await logged(test);
    const { length } = Buffer.from((await client.post(`${LIST}?_=y`, { title: 'é' })).text);
    await client.get(itemPath(1));
    const missing = Buffer.from((await client.get('/none')).text);
    await client.request('HEAD', LIST);
    const lines = await until(4);
    assert.deepEqual(
      lines.map((line) => [line.method, line.target, line.route, line.status, line.contentBytes]),
      [
        ['POST', `${LIST}?_=y`, LIST, 201, length],
        ['GET', itemPath(1), `${LIST}/{id}`, 200, length],
        ['GET', '/none', undefined, 404, missing.length],
        ['HEAD', LIST, LIST, 200, 0],
      ],
    );
    for (const { durationMs, clientAddress, requestId } of lines) {
      assert(typeof durationMs === 'number' && durationMs >= 0);
      assert.equal(clientAddress, '127.0.0.1');
      assert.match(String(requestId), /^[A-Za-z0-9._-]{1,128}$/);
    }
  });

  it('has the user agent, cut at 200 characters, if one was sent', async (test) => {
    const { connect, until } = await logged(test);
    const client = await connect();
    for (const fields of ['', `User-Agent: curl/8 ${'x'.repeat(300)}\r\n`]) {
      await client.send(getRequest(LIST, fields)).next();
    }
    const lines = await until(2);
    const expected = [undefined, `curl/8 ${'x'.repeat(193)}`];
    assert.deepEqual(
      lines.map(({ userAgent }) => userAgent),
      expected,
    );
  });

  it('has no status where no response was sent', async (test) => {
    const { setFaults, connect, until } = await logged(test);
    await setFaults({ abort: 'after' });
    await (await connect()).send(createRequest()).ended;
    // Before it, the request that set the fault.
    const [, line] = await until(2);
    assert.deepEqual([line?.method, line?.route, line?.status], ['POST', LIST, undefined]);
  });

  it('has the request id of the response, received or generated, and the trace id', async (test) => {
    const { client, until } = await logged(test);
    const sent = 'Root=1-67891233:+/@;';
    const given = await client.get(LIST, { 'x-request-id': sent });
    assert.equal(given.headers['x-request-id'], sent);
    const made = await client.get(LIST, { 'x-request-id': 'not an id', traceparent: TRACEPARENT });
    assert.match(String(made.headers['x-request-id']), /^[\w.-]+$/);
    const [first, second] = await until(2);
    assert.deepEqual([first?.requestId, first?.traceId], [sent, undefined]);
    const id = made.headers['x-request-id'];
    assert.deepEqual([second?.requestId, second?.traceId], [id, TRACE_ID]);
  });
});

it('the id of a request is in the log line of a 500, and generated for it if absent', async (test) => {
  const logs: LogFields[] = [];
  const { client } = await startApp(test, variant, {
    log: (_level, _message, fields = {}) => logs.push(fields),
  });
  // No request causes a fault, so one is injected.
  test.mock.method(Table.prototype, 'insert', () => {
    throw new Error('broken');
  });
  const body = '{"title":"x"}';
  const headers = { 'content-type': 'application/json', traceparent: TRACEPARENT };
  const made = await client.request('POST', LIST, { headers, body });
  const given = await client.request('POST', LIST, {
    headers: { ...headers, 'x-request-id': 'mine' },
    body,
  });
  assert.equal(made.status, 500);
  assert.deepEqual(
    logs.map(({ requestId, traceId }) => [requestId, traceId]),
    [
      [made.headers['x-request-id'], TRACE_ID],
      ['mine', TRACE_ID],
    ],
  );
  assert.equal(given.headers['x-request-id'], 'mine');
});

/** How long a stop is delayed, in milliseconds. */
const DELAY_MS = 12_345;

it('a delayed stop keeps serving while not ready, and then ends streams', async (test) => {
  const { client, app, baseUrl } = await startApp(test, variant);
  const events = await EventClient.open(baseUrl);
  await events.next();
  await client.get(LIST);
  const timers = new ManualTimers(test, (ms) => ms === DELAY_MS);
  const stopped = app.stop(600_000, DELAY_MS);
  const notReady = await client.get('/readyz');
  assertProblem(notReady, 503, 'draining');
  assert.equal(notReady.headers['retry-after'], '10');
  assert.equal((await client.get('/livez')).status, 200);
  const created = await client.post(LIST, { title: 'x' });
  assert.equal(created.status, 201);
  assert.equal(created.headers.connection, 'close');
  assert.equal((await events.next()).event, 'put');
  await timers.end();
  await events.ended();
  assert.equal(await within('the stop', stopped), true);
});
